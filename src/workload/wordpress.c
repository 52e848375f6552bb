/*
 * wordpress: a page of the throwaway site, generated afresh and served from the
 * page cache. share/wordpress/advanced-cache.php has the other half of the
 * protocol.
 *
 * Raw: a JSON object with the numbers, headers and closing comments of every
 * request (wordpress_read.c), never whole pages.
 */
#include "workload/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonx.h"
#include "base/mem.h"
#include "base/text.h"

enum {
	WARM_PAGES_MIN = 2,
	WARM_PAGES_MAX = 8,
	CALIBRATION_PAGES = 3,
	PAGE_MAX = 8 << 20,
};

#define PAGE_LIMIT_NS (180 * NS_PER_S)

static const struct workload_param params[] = {
	{"opcache", "on", "on, off or both: PHP's cache of compiled scripts; one task each"},
	{"requests", "auto", "pages generated for one sample"},
	{"cached", "20", "requests served from the page cache after them; 0: none"},
	{"path", "/weighing-two-machines/", "the page"},
	{"url", "", "a page of a site that runs already, in place of the throwaway one"},
	{"fresh", "query", "url: what makes a cache generate afresh: query, or header alone"},
	{NULL, NULL, NULL},
};

static bool is_path(const char *s)
{
	if (*s != '/')
		return false;
	for (; *s != '\0'; s++) {
		if (*s <= ' ' || *s >= 127 || strchr(";#\"<>\\", *s) != NULL)
			return false;
	}
	return true;
}

static int expand(const struct workload_request *q, struct task_list *out, struct err *err)
{
	static const char *const states[] = {"on", "off"};
	const char *opcache = request_text(q, "opcache");
	const char *path = request_text(q, "path");
	bool both = strcmp(opcache, "both") == 0;
	int64_t requests = 0, cached = 0;
	int rc = request_count(q, &requests, err);

	if (rc == 0 && request_text(q, "url")[0] != '\0') {
		rc = site_check(q, err);
		if (rc == 0)
			site_expand(q, requests, out);
		return rc;
	}
	if (rc == 0 && factset_get(&q->params, "fresh") != NULL)
		rc = err_code(err, ERR_USAGE, "fresh is of url alone");
	if (rc == 0)
		rc = request_int(q, "cached", 0, 1000, &cached, err);
	if (rc == 0 && !is_path(path))
		rc = err_code(err, ERR_USAGE, "path does not begin with / or is no plain path");
	if (rc == 0 && !both && strcmp(opcache, "on") != 0 && strcmp(opcache, "off") != 0)
		rc = err_code(err, ERR_USAGE, "opcache is on, off or both");
	for (size_t i = 0; rc == 0 && i < 2; i++) {
		if (!both && strcmp(opcache, states[i]) != 0)
			continue;
		char *name = mem_printf("wordpress/opcache-%s", states[i]);
		struct task *t = task_add(out, q->kind, name);
		free(name);
		task_set_text(t, "opcache", states[i]);
		task_set_text(t, "path", path);
		task_set_int(t, "requests", requests);
		task_set_int(t, "cached", cached);
	}
	return rc;
}

/* What the services need is asked by the stack. */
static bool supported(const struct task *t, struct system *s, char **reason)
{
	return task_need(t) != NEED_NOTHING || site_supported(t, s, reason);
}

static void life_options(const struct task *t, struct stack_life *life)
{
	life->web = true;
	life->opcache = strcmp(task_text(t, "opcache"), "off") != 0;
}

static int fetch(const struct task *t, struct system *s, struct stack *st, const struct step *step,
		 const char *method, const char *nonce, struct outcome *out, struct err *err)
{
	struct strvec headers = STRVEC_INIT;
	struct fetch_request q = {.method = method,
				  .port = stack_port(st),
				  .host = "lampduel.test",
				  .path = task_text(t, "path"),
				  .headers = &headers,
				  .timeout_ns = PAGE_LIMIT_NS,
				  .body_max = PAGE_MAX};

	if (nonce != NULL)
		strvec_pushf(&headers, "X-Lampduel-Nonce: %s", nonce);
	int rc = system_fetch(s, step, &q, out, err);
	strvec_release(&headers);
	return rc;
}

/*
 * A mark for one request. From its step alone, so that a replay sends the marks that the recorded
 * pages carry.
 */
static char *nonce_of(const struct step *step)
{
	char *nonce = mem_printf("%s.%d.%d", step->name, step->round, step->attempt);

	for (char *p = nonce; *p != '\0'; p++) {
		if (*p == '/')
			*p = '.';
	}
	return nonce;
}

/* A page to be generated: purge, then get. *sent is the mark (new string). */
static int generate(const struct task *t, struct system *s, struct stack *st,
		    const struct step *step, char **sent, struct outcome *out, struct err *err)
{
	struct step purge = step_below(step, "purge");
	int rc = fetch(t, s, st, &purge, "PURGE", NULL, out, err);

	*sent = nonce_of(step);
	step_release(&purge);
	if (rc != 0)
		return rc;
	if (out->status == OUTCOME_OK && out->http_status != 204)
		outcome_fail(out, OUTCOME_INVALID,
			     "the page cache cannot be purged: HTTP status %d", out->http_status);
	if (out->status != OUTCOME_OK)
		return 0;
	outcome_release(out);
	return fetch(t, s, st, step, "GET", *sent, out, err);
}

/* The same, and it must have succeeded: for what is not measured. */
static int generate_well(const struct task *t, struct system *s, struct stack *st,
			 const struct step *step, const char *what, struct outcome *out,
			 double *seconds, struct err *err)
{
	struct step sub = step_below(step, what);
	double unit = 0;
	char *sent = NULL;
	int rc = generate(t, s, st, &sub, &sent, out, err);

	if (rc == 0 && out->status != OUTCOME_OK)
		rc = err_set(err, "%s: %s", what, out->reason);
	if (rc == 0) {
		json_t *answer = answer_json(out, sent);
		rc = answer_check_fresh(t, answer, NULL, what, seconds, &unit, err);
		json_decref(answer);
	}
	step_release(&sub);
	free(sent);
	return rc;
}

static size_t text_of(const struct outcome *out, uint64_t *hash)
{
	struct page p;

	page_read(buf_str(&out->headers), buf_str(&out->out), out->out.len, &p);
	size_t len = p.text_len;
	*hash = p.hash;
	page_release(&p);
	return len;
}

/* Until two pages in a row have the same text. */
static int warm_up(const struct task *t, struct system *s, struct stack *st,
		   const struct step *step, struct err *err)
{
	size_t before = 0;
	uint64_t hash_before = 0;

	for (int i = 1; i <= WARM_PAGES_MAX; i++) {
		struct outcome out = {0};
		uint64_t hash = 0;
		double seconds = 0;
		char what[32];

		(void)snprintf(what, sizeof(what), "warm-up-%d", i);
		int rc = generate_well(t, s, st, step, what, &out, &seconds, err);
		size_t len = rc == 0 ? text_of(&out, &hash) : 0;
		outcome_release(&out);
		if (rc != 0)
			return err_wrap(err, "%s of %s", t->name, s->name);
		if (i >= WARM_PAGES_MIN && len == before && hash == hash_before)
			return 0;
		before = len;
		hash_before = hash;
	}
	return err_set(err, "%s of %s: after %d pages two in a row still differ", t->name, s->name,
		       WARM_PAGES_MAX);
}

static int fingerprint(const struct task *t, struct system *s, struct stack *st,
		       const struct step *step, struct buf *text, struct err *err)
{
	struct outcome out = {0};
	uint64_t hash = 0;
	double seconds = 0;

	/* two sites may well show different names: what they show is the user's to compare */
	if (task_need(t) == NEED_NOTHING)
		return 0;
	int rc = generate_well(t, s, st, step, "fingerprint", &out, &seconds, err);

	if (rc == 0)
		buf_add(text, buf_str(&out.out), text_of(&out, &hash));
	outcome_release(&out);
	return rc;
}

static int calibrate(const struct task *t, struct system *s, struct stack *st,
		     const struct step *step, int64_t target_ns, double step_share, int64_t *count,
		     struct err *err)
{
	double fastest = 0;

	if (task_need(t) == NEED_NOTHING)
		return site_calibrate(t, s, step, target_ns, count, err);
	(void)step_share; /* microseconds of a page that takes milliseconds */
	for (int i = 1; i <= CALIBRATION_PAGES; i++) {
		struct outcome out = {0};
		double seconds = 0;
		char what[32];

		(void)snprintf(what, sizeof(what), "count-%d", i);
		int rc = generate_well(t, s, st, step, what, &out, &seconds, err);
		outcome_release(&out);
		if (rc != 0)
			return rc;
		if (i == 1 || seconds < fastest)
			fastest = seconds;
	}
	double n = ceil((double)target_ns / 1e9 / fastest);
	*count = n >= (double)t->kind->count_max ? t->kind->count_max : (int64_t)n;
	if (*count < t->kind->count_min)
		*count = t->kind->count_min;
	return 0;
}

/* One request of a sample, added to list. 0 also when it failed: out has it then. */
static int request(const struct task *t, struct system *s, struct stack *st,
		   const struct step *step, bool cached, int number, struct outcome *out,
		   json_t *list, struct err *err)
{
	struct outcome one = {0};
	char what[32];
	char *sent = NULL;

	(void)snprintf(what, sizeof(what), "%s-%d", cached ? "cached" : "page", number);
	struct step sub = step_below(step, what);
	int rc = 0;
	if (cached) {
		sent = nonce_of(&sub);
		rc = fetch(t, s, st, &sub, "GET", sent, &one, err);
	} else {
		rc = generate(t, s, st, &sub, &sent, &one, err);
	}
	if (rc == 0) {
		json_t *answer = answer_json(&one, sent);
		const char *problem = json_string_value(json_object_get(answer, "problem"));
		if (one.status != OUTCOME_OK)
			outcome_fail(out, one.status, "%s %d: %s%s%s",
				     cached ? "cached request" : "request", number, one.reason,
				     *problem != '\0' ? "; the caching engine says: " : "",
				     problem);
		out->end_ns = one.end_ns;
		if (out->start_ns == 0)
			out->start_ns = one.start_ns;
		if (json_array_append_new(list, answer) != 0)
			mem_exhausted();
	}
	outcome_release(&one);
	step_release(&sub);
	free(sent);
	return rc;
}

static int run_once(const struct task *t, struct system *s, struct stack *st,
		    const struct step *step, struct outcome *out, struct buf *raw, struct err *err)
{
	if (task_need(t) == NEED_NOTHING)
		return site_run(t, s, step, out, raw, err);
	const struct wordpress_tree *tree = stack_get_tree(st);
	json_t *pages = json_array(), *cached = json_array();
	int rc = 0;

	*out = (struct outcome){.status = OUTCOME_OK};
	for (int i = 1; rc == 0 && out->status == OUTCOME_OK && i <= task_int(t, "requests"); i++)
		rc = request(t, s, st, step, false, i, out, pages, err);
	for (int i = 1; rc == 0 && out->status == OUTCOME_OK && i <= task_int(t, "cached"); i++)
		rc = request(t, s, st, step, true, i, out, cached, err);
	json_t *root = json_pack(
		"{s:s, s:s, s:o, s:o}", "wordpress", tree == NULL ? "" : tree->version, "theme",
		tree == NULL ? "" : tree->theme, "requests", pages, "cached", cached);
	char *text = jsonx_take_text(root, JSON_COMPACT);
	buf_addstr(raw, text);
	free(text);
	return rc;
}

const struct workload_kind workload_wordpress = {
	.name = "wordpress",
	.by_default = true,
	.summary = "a WordPress page, generated and from the page cache",
	.params = params,
	.need = NEED_WEB,
	.count_key = "requests",
	.count_min = 1,
	.count_max = 200,
	.count_unit = "requests",
	.expand = expand,
	.supported = supported,
	.life_options = life_options,
	.warm_up = warm_up,
	.fingerprint = fingerprint,
	.calibrate = calibrate,
	.run_once = run_once,
	.read = wordpress_read,
};
