/* The table of readers, and texts that are read at once. */
#include "parse/parse.h"

#include <string.h>

#include "base/mem.h"
#include "parse/stream.h"

/* The reader of lampduel's own reports gets its row here when their JSON is settled.
 * The order is that of trust: what is hardest to take for something else comes first. */
const struct reader *const parse_readers[] = {
	&openssl_reader,
	&bssl_reader,
	&sysbench_reader,
	&mysqlslap_reader,
	&hyperfine_reader,
	&gobench_reader,
	&ab_reader,
	&wrk_reader,
	&hey_reader,
	&h2load_reader,
	&siege_reader,
	&phpbench_reader,
	&php_simple_reader,
	&php_bench_reader,
	&mariadb_reader,
	&wordpress_reader,
	NULL,
};

static void keep_value(void *arg, const struct parse_value *v)
{
	struct parse_result *r = arg;
	struct parse_value copy = *v;

	copy.label = mem_strdup(v->label);
	copy.metric = mem_strdup(v->metric);
	copy.unit = mem_strdup(v->unit);
	copy.file = mem_strdup(v->file);
	copy.note = mem_strdup(v->note);
	copy.conditions = mem_strdup(v->conditions);
	copy.software = mem_strdup(v->software);
	vec_push(&r->values, copy);
}

static void keep_warning(void *arg, const char *text)
{
	struct parse_result *r = arg;

	vec_push(&r->warnings, mem_strdup(text));
}

int parse_text(const char *text, size_t len, const char *file, struct parse_result *r,
	       struct err *err)
{
	struct parse_sink sink = {.value = keep_value, .warning = keep_warning, .arg = r};
	struct parse_stream *s = parse_stream_new(file, &sink);
	int code;

	parse_stream_feed(s, text, len);
	code = parse_stream_finish(s, err);
	parse_stream_free(s);
	return code;
}

void parse_value_release(struct parse_value *v)
{
	free(v->label);
	free(v->metric);
	free(v->unit);
	free(v->file);
	free(v->note);
	free(v->conditions);
	free(v->software);
	memset(v, 0, sizeof(*v));
}

void parse_result_release(struct parse_result *r)
{
	for (size_t i = 0; i < r->values.n; i++)
		parse_value_release(&r->values.v[i]);
	for (size_t i = 0; i < r->warnings.n; i++)
		free(r->warnings.v[i]);
	vec_release(&r->values);
	vec_release(&r->warnings);
}
