/* What the pages of a running site say, and whether they were generated for their own request. */
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
#include "parse/parse.h"

enum {
	TAIL_MAX = 6144, /* bytes of the end of a page, where the comments are */
	DATE_LEN = 19,   /* "2017-09-24 10:11:12" */
};

/* Two pages this far apart are not of one second. */
#define APART_NS (3 * NS_PER_S)
/* A page of one address may differ by as much as this: what it shows changes. */
#define SIZE_SHARE 0.2

/* Bytes that are no text become "?"; what the site sets as cookies is nobody's business. */
static char *plain(const char *s, size_t len, bool headers)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < len;) {
		size_t n = 0;
		while (i + n < len && s[i + n] != '\n')
			n++;
		if (!headers || n < 11 || strncasecmp(s + i, "set-cookie:", 11) != 0) {
			for (size_t k = i; k < i + n; k++)
				buf_addch(&b, (unsigned char)s[k] < 127 &&
							      ((unsigned char)s[k] >= ' ' ||
							       s[k] == '\t')
						      ? s[k]
					      : s[k] == '\r' ? ' '
							     : '?');
			buf_addch(&b, '\n');
		}
		i += n + 1;
	}
	return buf_detach(&b);
}

json_t *site_answer_json(const struct outcome *o)
{
	size_t len = o->out.len;
	size_t from = len > TAIL_MAX ? len - TAIL_MAX : 0;
	char *headers = plain(buf_str(&o->headers), o->headers.len, true);
	char *tail = plain(buf_str(&o->out) + from, len - from, false);
	bool complete = len > 0 && memmem(buf_str(&o->out), len, "</html>", 7) != NULL;
	json_t *j = json_pack("{s:i, s:b, s:I, s:s, s:s, s:I, s:I, s:I, s:I, s:I}", "http",
			      o->http_status, "complete", complete, "size", (json_int_t)len,
			      "headers", headers, "tail", tail, "start_ns", (json_int_t)o->start_ns,
			      "total_ns", (json_int_t)(o->end_ns - o->start_ns), "ttfb_ns",
			      (json_int_t)o->ttfb_ns, "whole_ns",
			      (json_int_t)(o->whole_ns > 0 ? o->whole_ns : o->end_ns - o->start_ns),
			      "step_ns", (json_int_t)(o->wall_step_ns > 0 ? o->wall_step_ns : 1));

	free(headers);
	free(tail);
	if (j == NULL)
		mem_exhausted();
	return j;
}

/* The number of the header of that name; 0: none. */
static long long header_number(const char *headers, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = headers; line != NULL && *line != '\0';) {
		if (strncasecmp(line, name, n) == 0 && line[n] == ':')
			return atoll(line + n + 1);
		line = strchr(line, '\n');
		line = line == NULL ? NULL : line + 1;
	}
	return 0;
}

/* The last date and time in text, DATE_LEN bytes; NULL: none. */
static const char *last_date(const char *text)
{
	static const char form[] = "0000-00-00 00:00:00";
	size_t len = strlen(text);

	for (size_t at = len < DATE_LEN ? 0 : len - DATE_LEN + 1; at-- > 0;) {
		size_t i = 0;
		while (i < DATE_LEN && (form[i] == '0' ? isdigit((unsigned char)text[at + i]) != 0
						       : text[at + i] == form[i]))
			i++;
		if (i == DATE_LEN)
			return text + at;
	}
	return NULL;
}

static int check_whole(const json_t *a, const json_t *first, const char *which, struct err *err)
{
	if (jsonx_num(a, "http") != 200)
		return err_set(err, "%s: HTTP status %lld, not a page", which,
			       jsonx_num(a, "http"));
	if (!json_is_true(json_object_get(a, "complete")))
		return err_set(err, "%s: the page is cut off: it does not end in </html>", which);
	if (jsonx_num(a, "total_ns") <= 0)
		return err_set(err, "%s: the time of the request is missing", which);
	if (first != NULL && fabs((double)jsonx_num(a, "size") - (double)jsonx_num(first, "size")) >
				     SIZE_SHARE * (double)jsonx_num(first, "size"))
		return err_set(err, "%s: the page is not the first one's (%lld bytes, there %lld)",
			       which, jsonx_num(a, "size"), jsonx_num(first, "size"));
	return 0;
}

/* Its own words: generated in so many seconds, and not by a cache. */
static int read_words(const json_t *a, const char *which, struct site_time *time, struct err *err)
{
	char *text = mem_printf("%s\n%s", jsonx_str(a, "headers"), jsonx_str(a, "tail"));
	struct parse_result r = {0};
	struct err none = ERR_INIT;
	const struct parse_value *found = NULL;
	bool cached = header_number(jsonx_str(a, "headers"), "Age") > 0;

	(void)parse_text(text, strlen(text), which, &r, &none);
	for (size_t i = 0; i < r.values.n; i++) {
		const struct parse_value *v = &r.values.v[i];
		if (strcmp(v->metric, "wordpress/cached/serve") == 0)
			cached = true;
		/* a page names its time once; what comes later is nearer to its end */
		if (strcmp(v->metric, "wordpress/page/generate") == 0 && v->has_value)
			found = v;
	}
	for (size_t i = 0; i < r.warnings.n; i++)
		cached = cached || strstr(r.warnings.v[i], "served from a cache") != NULL;
	cached = cached || (found != NULL && strstr(found->note, "came from the cache") != NULL);
	int rc = 0;
	if (cached)
		rc = err_set(err,
			     "%s: the page came from a cache; try the other of fresh=query and "
			     "fresh=header, or switch the cache off for this address",
			     which);
	else if (found == NULL)
		rc = err_set(err,
			     "%s: the page does not say how long it took: it needs a caching "
			     "plugin or a theme that writes it (WP Super Cache does)",
			     which);
	else
		*time = (struct site_time){.generate = found->value, .step = found->step};
	parse_result_release(&r);
	free(text);
	return rc;
}

int site_answer_check(const struct task *t, const json_t *a, const json_t *first, const char *which,
		      struct site_time *time, struct err *err)
{
	/* the server may begin as soon as it is connected to */
	double total = (double)jsonx_num(a, "whole_ns") / 1e9;
	int rc = check_whole(a, first, which, err);

	(void)t;
	*time = (struct site_time){0};
	if (rc == 0)
		rc = read_words(a, which, time, err);
	if (rc != 0)
		return rc;
	if (time->generate > total + time->step + (double)jsonx_num(a, "step_ns") / 1e9)
		return err_set(err,
			       "%s: the page says it took %.6f s, and the whole request took %.6f "
			       "s: it is a stored copy",
			       which, time->generate, total);
	const char *date = last_date(jsonx_str(a, "tail"));
	const char *before = first == NULL ? NULL : last_date(jsonx_str(first, "tail"));
	if (date != NULL && before != NULL && strncmp(date, before, DATE_LEN) == 0 &&
	    jsonx_num(a, "start_ns") - jsonx_num(first, "start_ns") > APART_NS)
		return err_set(err,
			       "%s: the page says it was made at %.19s, as one long before did",
			       which, date);
	return 0;
}

/* The address without its host, which is not for a report. */
static const char *path_of(const char *url)
{
	const char *host = strstr(url, "://");
	const char *path = host == NULL ? NULL : strchr(host + 3, '/');

	return path == NULL ? "/" : path;
}

static void add_mean(struct sample *out, const char *metric, const double *v, size_t n, double step,
		     bool primary, const char *conditions)
{
	double sd = 0;
	double mean = mean_of(v, n, &sd);

	sample_add(out, metric, "s", mean, step, primary, conditions);
	vec_last(&out->values)->n = (int)n;
	vec_last(&out->values)->sd = sd;
}

static void add_values(const struct task *t, const double *v, size_t n, double step,
		       double clock_step, struct sample *out)
{
	char *count = mem_printf("%zu", n);
	/* asked: where the request was made, so that a network is in no time */
	const struct condition c[] = {{"asked", "there"},
				      {"cache", task_text(t, "fresh")},
				      {"page", path_of(task_text(t, "url"))},
				      {"requests", count},
				      {"server", "running"}};
	char *conditions = conditions_text(c, sizeof(c) / sizeof(c[0]));

	add_mean(out, "wordpress/page/generate", v, n, step, true, conditions);
	/* a client without times of its own: the span is that of its process, and is left out */
	bool timed = true;
	for (size_t i = 0; i < n; i++)
		timed = timed && v[2 * n + i] > 0;
	if (timed) {
		add_mean(out, "wordpress/page/total", v + n, n, clock_step, false, conditions);
		add_mean(out, "wordpress/page/ttfb", v + 2 * n, n, clock_step, false, conditions);
	}
	free(conditions);
	free(count);
}

int site_read(const struct task *t, const char *raw, size_t len, struct sample *out,
	      struct err *err)
{
	json_error_t why;
	json_t *root = json_loadb(raw, len, JSON_REJECT_DUPLICATES, &why);
	const json_t *list = json_object_get(root, "site");
	size_t n = json_array_size(list);
	double *v = mem_array(3 * n, sizeof(*v));
	double coarsest = 0;
	double clock = 0;
	int rc = 0;

	if (root == NULL)
		rc = err_set(err, "the record of the requests cannot be read: %s", why.text);
	else if (n == 0 || (int64_t)n != task_int(t, "requests"))
		rc = err_set(err, "%zu of %lld pages were requested", n,
			     (long long)task_int(t, "requests"));
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const json_t *a = json_array_get(list, i);
		char *which = mem_printf("request %zu", i + 1);
		struct site_time time;
		rc = site_answer_check(t, a, i == 0 ? NULL : json_array_get(list, 0), which, &time,
				       err);
		v[i] = time.generate;
		v[n + i] = (double)jsonx_num(a, "total_ns") / 1e9;
		v[2 * n + i] = (double)jsonx_num(a, "ttfb_ns") / 1e9;
		coarsest = fmax(coarsest, time.step);
		clock = fmax(clock, (double)jsonx_num(a, "step_ns") / 1e9);
		free(which);
	}
	if (rc == 0)
		add_values(t, v, n, coarsest, clock, out);
	free(v);
	json_decref(root);
	return rc;
}
