/*
 * workload/internal: what the files of this module share. Nothing outside of
 * src/workload includes it.
 */
#ifndef LAMPDUEL_WORKLOAD_INTERNAL_H
#define LAMPDUEL_WORKLOAD_INTERNAL_H

#include "workload/workload.h"

/*
 * Every workload, one row each, in the order in which help lists them. A workload is a file that
 * defines workload_NAME, and its row here.
 */
#define WORKLOAD_KINDS(KIND)                                                                       \
	KIND(wordpress)                                                                            \
	KIND(mariadb)                                                                              \
	KIND(openssl)                                                                              \
	KIND(command)

#define WORKLOAD_KIND_DECLARED(name) extern const struct workload_kind workload_##name;
WORKLOAD_KINDS(WORKLOAD_KIND_DECLARED)

/* ---- task.c ---- */

/* What was given for a parameter, else its fallback. Never NULL for a key of the kind's table. */
const char *request_text(const struct workload_request *q, const char *key);
/* A whole number of min to max. */
int request_int(const struct workload_request *q, const char *key, int64_t min, int64_t max,
		int64_t *v, struct err *err);
/* The same for the kind's count: "auto" is 0. */
int request_count(const struct workload_request *q, int64_t *v, struct err *err);
/* A list with commas: lower case words of [a-z0-9._+-], none twice. At least one. */
int request_list(const struct workload_request *q, const char *key, struct strvec *words,
		 struct err *err);
/* A new task at the end of the list, without parameters. The name is copied. */
struct task *task_add(struct task_list *l, const struct workload_kind *kind, const char *name);

/* "key=value" pairs, sorted by key, joined by ";". New string. */
struct condition {
	const char *key, *value;
};
char *conditions_text(const struct condition *c, size_t n);

/*
 * The next count to try when `count` took `took` (any unit) and `want` is wanted: grows at most
 * hundredfold, at least by one, rounded up to two digits that matter, at most max.
 */
int64_t count_grow(int64_t count, double took, double want, int64_t max);

/* Mean and standard deviation (n - 1; 0 when n < 2) of n >= 1 numbers. */
double mean_of(const double *v, size_t n, double *sd);

/* FNV-1a, 64 bits: tells texts apart, keeps no secret. */
#define HASH_START UINT64_C(14695981039346656037)
uint64_t hash_more(uint64_t h, const void *data, size_t len);

/* ---- wordpress_page.c: pure ---- */

/* What one answer of the site says about itself. Strings are escaped, "" when missing. */
struct page {
	bool is_html;    /* by its header */
	bool complete;   /* has </html> */
	size_t nuls;     /* NUL bytes */
	size_t text_len; /* bytes before the closing comments */
	uint64_t hash;   /* of these bytes */
	char *cache;     /* X-Lampduel-Cache: "miss", "hit", "none" */
	char *opcache;   /* X-Lampduel-Opcache: "on", "off" */
	char *problem;   /* X-Lampduel-Problem */
	char *comment;   /* "<!-- Dynamic page generated in 1.701234 seconds. -->" */
	char *nonce;     /* of the closing comment */
};

void page_read(const char *headers, const char *body, size_t len, struct page *p);
void page_release(struct page *p);
/* The seconds of the comment; false when it is not of that form, or no time. */
bool page_seconds(const char *comment, double *seconds, double *step);

/* ---- wordpress_read.c: pure ---- */

/* One answer as it is stored in the raw output. New object. */
json_t *answer_json(const struct outcome *o, const char *sent);
/*
 * Was this answer generated for its own request, as a whole page like first's (NULL: is the first)?
 * which: "request 3", for the message.
 */
int answer_check_fresh(const struct task *t, const json_t *answer, const json_t *first,
		       const char *which, double *seconds, double *step, struct err *err);
int wordpress_read(const struct task *t, const char *raw, size_t len, struct sample *out,
		   struct err *err);

/* ---- wordpress_site.c: a site that runs already ---- */

int site_check(const struct workload_request *q, struct err *err);
void site_expand(const struct workload_request *q, int64_t requests, struct task_list *out);
bool site_supported(const struct task *t, struct system *s, char **reason);
int site_calibrate(const struct task *t, struct system *s, const struct step *step,
		   int64_t target_ns, int64_t *count, struct err *err);
int site_run(const struct task *t, struct system *s, const struct step *step, struct outcome *out,
	     struct buf *raw, struct err *err);

/* ---- wordpress_site_read.c: pure ---- */

struct site_time {
	double generate, step; /* seconds, as the page says */
};
json_t *site_answer_json(const struct outcome *o); /* new object */
/* As answer_check_fresh(); first: the sample's first answer, NULL: is the first. */
int site_answer_check(const struct task *t, const json_t *a, const json_t *first, const char *which,
		      struct site_time *time, struct err *err);
int site_read(const struct task *t, const char *raw, size_t len, struct sample *out,
	      struct err *err);

#endif
