#include "workload/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonx.h"
#include "base/mem.h"
#include "base/text.h"

/* total is read on our own clock, in nanoseconds */
#define CLOCK_STEP 1e-9

json_t *answer_json(const struct outcome *o, const char *sent)
{
	struct page p;
	char hash[32];

	page_read(buf_str(&o->headers), buf_str(&o->out), o->out.len, &p);
	(void)snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)p.hash);
	json_t *j = json_pack(
		"{s:s, s:i, s:b, s:b, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I}",
		"sent", sent, "http", o->http_status, "html", p.is_html, "complete", p.complete,
		"nuls", (json_int_t)p.nuls, "size", (json_int_t)o->out.len, "text",
		(json_int_t)p.text_len, "hash", hash, "cache", p.cache, "opcache", p.opcache,
		"problem", p.problem, "comment", p.comment, "nonce", p.nonce, "total_ns",
		(json_int_t)(o->end_ns - o->start_ns), "ttfb_ns", (json_int_t)o->ttfb_ns);
	page_release(&p);
	if (j == NULL)
		mem_exhausted();
	return j;
}

/* A whole HTML page. */
static int check_page(const json_t *a, const char *which, struct err *err)
{
	if (jsonx_str(a, "problem")[0] != '\0')
		return err_set(err, "%s: the caching engine says: %s", which,
			       jsonx_str(a, "problem"));
	if (jsonx_num(a, "http") != 200)
		return err_set(err, "%s: HTTP status %lld, not a page", which,
			       jsonx_num(a, "http"));
	if (!json_is_true(json_object_get(a, "html")))
		return err_set(err, "%s: the answer is no HTML", which);
	if (jsonx_num(a, "nuls") != 0)
		return err_set(err, "%s: the page holds NUL bytes", which);
	if (!json_is_true(json_object_get(a, "complete")))
		return err_set(err, "%s: the page is cut off: it does not end in </html>", which);
	if (jsonx_num(a, "total_ns") <= 0)
		return err_set(err, "%s: the time of the request is missing", which);
	return 0;
}

static int check_same_text(const json_t *a, const json_t *first, const char *which, struct err *err)
{
	if (first == NULL || (jsonx_num(a, "text") == jsonx_num(first, "text") &&
			      strcmp(jsonx_str(a, "hash"), jsonx_str(first, "hash")) == 0))
		return 0;
	return err_set(err, "%s: the page is not the first one's (%lld bytes of text, there %lld)",
		       which, jsonx_num(a, "text"), jsonx_num(first, "text"));
}

int answer_check_fresh(const struct task *t, const json_t *answer, const json_t *first,
		       const char *which, double *seconds, double *step, struct err *err)
{
	const char *sent = jsonx_str(answer, "sent");
	int rc = check_page(answer, which, err);

	if (rc != 0)
		return rc;
	if (strcmp(jsonx_str(answer, "cache"), "miss") != 0)
		return err_set(err,
			       "%s: the page was not generated for it (X-Lampduel-Cache: %s), its "
			       "time is another's",
			       which,
			       jsonx_str(answer, "cache")[0] != '\0' ? jsonx_str(answer, "cache")
								     : "none");
	if (!page_seconds(jsonx_str(answer, "comment"), seconds, step))
		return err_set(err, "%s: the page does not end in the comment with its time",
			       which);
	if (sent[0] == '\0' || strcmp(jsonx_str(answer, "nonce"), sent) != 0)
		return err_set(err, "%s: the page carries another request's mark", which);
	if (*seconds > (double)jsonx_num(answer, "total_ns") / 1e9 + *step)
		return err_set(
			err,
			"%s: the page says %.6f s, and the whole request took %.6f s: a clock "
			"was set meanwhile",
			which, *seconds, (double)jsonx_num(answer, "total_ns") / 1e9);
	if (strcmp(jsonx_str(answer, "opcache"), task_text(t, "opcache")) != 0)
		return err_set(err, "%s: OPcache is %s, the task wants it %s", which,
			       strcmp(jsonx_str(answer, "opcache"), "on") == 0 ? "on" : "off",
			       task_text(t, "opcache"));
	return check_same_text(answer, first, which, err);
}

/* The copy of the page that was generated last. */
static int check_cached(const json_t *answer, const json_t *last, const char *which,
			struct err *err)
{
	int rc = check_page(answer, which, err);

	if (rc != 0)
		return rc;
	if (strcmp(jsonx_str(answer, "cache"), "hit") != 0)
		return err_set(err, "%s: not served from the page cache (X-Lampduel-Cache: %s)",
			       which,
			       jsonx_str(answer, "cache")[0] != '\0' ? jsonx_str(answer, "cache")
								     : "none");
	if (strcmp(jsonx_str(answer, "nonce"), jsonx_str(last, "sent")) != 0 ||
	    strcmp(jsonx_str(answer, "comment"), jsonx_str(last, "comment")) != 0)
		return err_set(err, "%s: the copy is not of the page generated last", which);
	return check_same_text(answer, last, which, err);
}

struct series {
	double *v;
	size_t n;
};

static void add_mean(struct sample *out, const char *metric, const struct series *s, double step,
		     bool primary, const char *conditions)
{
	double sd = 0;
	double mean = mean_of(s->v, s->n, &sd);

	sample_add(out, metric, "s", mean, step, primary, conditions);
	vec_last(&out->values)->n = (int)s->n;
	vec_last(&out->values)->sd = sd;
}

static char *conditions_of(const struct task *t, const json_t *root, const char *cache, size_t n)
{
	char *count = mem_printf("%zu", n);
	const struct condition c[] = {
		{"cache", cache},
		{"opcache", task_text(t, "opcache")},
		{"page", task_text(t, "path")},
		{"requests", count},
		{"theme", jsonx_str(root, "theme")},
		{"wordpress", jsonx_str(root, "wordpress")},
	};
	char *text = conditions_text(c, sizeof(c) / sizeof(c[0]));

	free(count);
	return text;
}

static int read_generated(const struct task *t, const json_t *root, struct sample *out,
			  struct err *err)
{
	const json_t *list = json_object_get(root, "requests");
	size_t n = json_array_size(list);
	struct series generate = {mem_array(n, sizeof(double)), n};
	struct series total = {mem_array(n, sizeof(double)), n};
	double step = 0, coarsest = 0;
	int rc = 0;

	if (n == 0 || (int64_t)n != task_int(t, "requests"))
		rc = err_set(err, "%zu of %lld pages were requested", n,
			     (long long)task_int(t, "requests"));
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const json_t *a = json_array_get(list, i);
		char *which = mem_printf("request %zu", i + 1);
		rc = answer_check_fresh(t, a, i == 0 ? NULL : json_array_get(list, 0), which,
					&generate.v[i], &step, err);
		total.v[i] = (double)jsonx_num(a, "total_ns") / 1e9;
		coarsest = step > coarsest ? step : coarsest;
		free(which);
	}
	if (rc == 0) {
		char *conditions = conditions_of(t, root, "purged", n);
		add_mean(out, "wordpress/page/generate", &generate, coarsest, true, conditions);
		add_mean(out, "wordpress/page/total", &total, CLOCK_STEP, false, conditions);
		free(conditions);
	}
	free(generate.v);
	free(total.v);
	return rc;
}

static int read_cached(const struct task *t, const json_t *root, struct sample *out,
		       struct err *err)
{
	const json_t *list = json_object_get(root, "cached");
	const json_t *pages = json_object_get(root, "requests");
	size_t n = json_array_size(list);
	struct series total = {mem_array(n, sizeof(double)), n};
	int rc = 0;

	if ((int64_t)n != task_int(t, "cached"))
		rc = err_set(err, "%zu of %lld cached pages were requested", n,
			     (long long)task_int(t, "cached"));
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const json_t *a = json_array_get(list, i);
		char *which = mem_printf("cached request %zu", i + 1);
		rc = check_cached(a, json_array_get(pages, json_array_size(pages) - 1), which, err);
		total.v[i] = (double)jsonx_num(a, "total_ns") / 1e9;
		free(which);
	}
	if (rc == 0 && n > 0) {
		char *conditions = conditions_of(t, root, "hit", n);
		add_mean(out, "wordpress/cached/total", &total, CLOCK_STEP, false, conditions);
		free(conditions);
	}
	free(total.v);
	return rc;
}

int wordpress_read(const struct task *t, const char *raw, size_t len, struct sample *out,
		   struct err *err)
{
	if (task_need(t) == NEED_NOTHING)
		return site_read(t, raw, len, out, err);
	json_error_t why;
	json_t *root = json_loadb(raw, len, JSON_REJECT_DUPLICATES, &why);

	if (root == NULL)
		return err_set(err, "the record of the requests cannot be read: %s", why.text);
	int rc = read_generated(t, root, out, err);
	if (rc == 0)
		rc = read_cached(t, root, out, err);
	json_decref(root);
	return rc;
}
