/*
 * wordpress: a page of a site that runs already, asked for on its own address by the system it is
 * on. Nothing of ours is in that site: the page's own comments and headers say when it was
 * generated, and each request is made such that a page cache generates afresh.
 *
 * Raw: a JSON object with the headers and the last bytes of every page (wordpress_site_read.c).
 */
#include "workload/internal.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/jsonx.h"
#include "base/mem.h"
#include "base/text.h"

enum { WARM_PAGES = 2, CALIBRATION_PAGES = 3, PAGE_MAX = 8 << 20 };

#define PAGE_LIMIT_NS (180 * NS_PER_S)

int site_check(const struct workload_request *q, struct err *err)
{
	const char *url = request_text(q, "url");
	const char *fresh = request_text(q, "fresh");
	size_t scheme = text_starts(url, "http://") ? 7 : text_starts(url, "https://") ? 8 : 0;
	size_t host = strcspn(url + scheme, "/?");

	for (const char *p = url; *p != '\0'; p++) {
		if (!isgraph((unsigned char)*p) || strchr("#\"<>\\", *p) != NULL)
			scheme = 0;
	}
	if (scheme == 0 || host == 0)
		return err_code(err, ERR_USAGE, "url is no plain http:// or https:// address");
	if (memchr(url + scheme, '@', host) != NULL)
		return err_code(err, ERR_USAGE,
				"url holds a login, which would be stored: leave it out");
	if (strcmp(fresh, "query") != 0 && strcmp(fresh, "header") != 0)
		return err_code(err, ERR_USAGE, "fresh is either query or header");
	if (factset_get(&q->params, "opcache") != NULL || factset_get(&q->params, "path") != NULL ||
	    factset_get(&q->params, "cached") != NULL)
		return err_code(err, ERR_USAGE,
				"opcache, path and cached are of the throwaway site, not of url");
	return 0;
}

void site_expand(const struct workload_request *q, int64_t requests, struct task_list *out)
{
	struct task *t = task_add(out, q->kind, "wordpress/site");

	task_set_text(t, "running", "yes");
	task_set_text(t, "url", request_text(q, "url"));
	task_set_text(t, "fresh", request_text(q, "fresh"));
	task_set_int(t, "requests", requests);
}

/* A mark for one request, from its step alone, so that a replay asks the same. */
static uint64_t mark_of(const struct step *step)
{
	char *text = mem_printf("%s.%d.%d", step->name, step->round, step->attempt);
	uint64_t h = hash_more(HASH_START, text, strlen(text));

	free(text);
	return h;
}

/*
 * A query that no copy was stored for. "doing_wp_cron" also keeps WordPress from starting its
 * scheduled jobs, which would change the site's database.
 */
static char *marked_url(const struct task *t, const struct step *step)
{
	const char *url = task_text(t, "url");
	unsigned long long mark = mark_of(step);

	if (strcmp(task_text(t, "fresh"), "query") != 0)
		return mem_strdup(url);
	return mem_printf("%s%clampduel=%016llx&doing_wp_cron=%016llx", url,
			  strchr(url, '?') == NULL ? '?' : '&', mark, mark);
}

static int fetch_site(const struct task *t, struct system *s, const struct step *step,
		      struct outcome *out, struct err *err)
{
	struct strvec headers = STRVEC_INIT;
	char *url = marked_url(t, step);
	struct fetch_request q = {.method = "GET",
				  .url = url,
				  .path = "",
				  .headers = &headers,
				  .timeout_ns = PAGE_LIMIT_NS,
				  .body_max = PAGE_MAX};

	strvec_push(&headers, "Cache-Control: no-cache");
	strvec_push(&headers, "Pragma: no-cache");
	int rc = system_fetch(s, step, &q, out, err);
	strvec_release(&headers);
	free(url);
	return rc;
}

/* A page outside of the samples; it must be a fresh one. */
static int ask_well(const struct task *t, struct system *s, const struct step *step,
		    const char *what, double *seconds, struct err *err)
{
	struct step sub = step_below(step, what);
	struct outcome out = {0};
	int rc = fetch_site(t, s, &sub, &out, err);

	if (rc == 0 && out.status != OUTCOME_OK)
		rc = err_set(err, "%s: %s", what, out.reason);
	if (rc == 0) {
		struct site_time time;
		json_t *answer = site_answer_json(&out);
		rc = site_answer_check(t, answer, NULL, what, &time, err);
		*seconds = time.generate;
		json_decref(answer);
	}
	outcome_release(&out);
	step_release(&sub);
	return rc;
}

bool site_supported(const struct task *t, struct system *s, char **reason)
{
	struct step top = {.name = t->name, .round = 0, .attempt = 1};
	struct err err = ERR_INIT;
	char *why = NULL;
	double seconds = 0;

	if (s->is_rootfs)
		why = mem_strdup("a site's own address is for local and ssh: systems");
	for (int i = 1; why == NULL && i <= WARM_PAGES; i++) {
		char what[32];
		(void)snprintf(what, sizeof(what), "look-%d", i);
		if (ask_well(t, s, &top, what, &seconds, &err) != 0)
			why = mem_strdup(err.msg);
	}
	if (why != NULL && reason != NULL)
		*reason = why;
	else
		free(why);
	return why == NULL;
}

int site_calibrate(const struct task *t, struct system *s, const struct step *step,
		   int64_t target_ns, int64_t *count, struct err *err)
{
	double fastest = 0;

	for (int i = 1; i <= CALIBRATION_PAGES; i++) {
		double seconds = 0;
		char what[32];
		(void)snprintf(what, sizeof(what), "count-%d", i);
		if (ask_well(t, s, step, what, &seconds, err) != 0)
			return err->code;
		if (i == 1 || seconds < fastest)
			fastest = seconds;
	}
	double n = ceil((double)target_ns / 1e9 / fastest);
	*count = n >= (double)t->kind->count_max ? t->kind->count_max : (int64_t)n;
	if (*count < t->kind->count_min)
		*count = t->kind->count_min;
	return 0;
}

/* A reason is stored and published, the host's name is not. */
static char *without_host(const struct task *t, const char *reason)
{
	const char *host = strstr(task_text(t, "url"), "://") + 3;
	size_t len = strcspn(host, ":/?");
	struct buf b = BUF_INIT;

	for (const char *p = reason; *p != '\0';) {
		if (strncasecmp(p, host, len) == 0) {
			buf_addstr(&b, "...");
			p += len;
		} else {
			buf_addch(&b, *p++);
		}
	}
	return buf_detach(&b);
}

int site_run(const struct task *t, struct system *s, const struct step *step, struct outcome *out,
	     struct buf *raw, struct err *err)
{
	json_t *pages = json_array();
	int rc = 0;

	*out = (struct outcome){.status = OUTCOME_OK};
	for (int i = 1; rc == 0 && out->status == OUTCOME_OK && i <= task_int(t, "requests"); i++) {
		struct outcome one = {0};
		char what[32];
		(void)snprintf(what, sizeof(what), "page-%d", i);
		struct step sub = step_below(step, what);
		rc = fetch_site(t, s, &sub, &one, err);
		if (rc == 0 && one.status != OUTCOME_OK) {
			char *why = without_host(t, one.reason);
			outcome_fail(out, one.status, "request %d: %s", i, why);
			free(why);
		}
		if (rc == 0 && json_array_append_new(pages, site_answer_json(&one)) != 0)
			mem_exhausted();
		out->end_ns = one.end_ns;
		if (out->start_ns == 0)
			out->start_ns = one.start_ns;
		outcome_release(&one);
		step_release(&sub);
	}
	json_t *root = json_pack("{s:o}", "site", pages);
	char *text = jsonx_take_text(root, JSON_COMPACT);
	buf_addstr(raw, text);
	free(text);
	return rc;
}
