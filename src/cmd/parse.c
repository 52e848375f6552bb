/* lampduel parse: shows what is read in pasted output; stores nothing. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "parse/parse.h"
#include "store/exchange.h"

struct parse_options {
	char *format;
};

struct output {
	FILE *out;
	bool json;
	bool any; /* JSON: something stands before */
	struct buf line;
};

/* Numbers as tools print them have few decimals: 0, when v is none of these, else their text. */
static bool add_plain(struct buf *b, double v)
{
	double scaled = v * 1e6;
	char text[40];
	size_t n = sizeof(text);
	int decimals = 6;

	if (!(v >= 0 && scaled < 9e15))
		return false;
	uint64_t digits = (uint64_t)(scaled + 0.5);
	if ((double)digits / 1e6 != v)
		return false;
	for (; decimals > 0 && digits % 10 == 0; decimals--)
		digits /= 10;
	for (; decimals > 0; decimals--) {
		text[--n] = (char)('0' + digits % 10);
		digits /= 10;
		if (decimals == 1)
			text[--n] = '.';
	}
	do {
		text[--n] = (char)('0' + digits % 10);
		digits /= 10;
	} while (digits > 0);
	buf_add(b, text + n, sizeof(text) - n);
	return true;
}

/* 10 to the power of k, exact up to 10^27. */
static long double power(int k)
{
	long double p = 1;

	for (int i = k < 0 ? -k : k; i > 0; i--)
		p *= 10;
	return k < 0 ? 1 / p : p;
}

/* v > 0 with that many significant digits, zeros at the end left out. */
static void add_digits(struct buf *b, double v, int digits)
{
	int e = (int)floor(log10(v));
	long long m = llroundl((long double)v * power(digits - 1 - e));
	char text[32];
	int n;

	if ((long double)m >= power(digits)) {
		m /= 10;
		e++;
	}
	for (n = digits; n > 1 && m % 10 == 0; n--)
		m /= 10;
	for (int i = n; i > 0; i--, m /= 10)
		text[i - 1] = (char)('0' + m % 10);
	if (e < -5 || e >= 15) {
		buf_add(b, text, 1);
		if (n > 1) {
			buf_addch(b, '.');
			buf_add(b, text + 1, (size_t)n - 1);
		}
		buf_addf(b, "e%+03d", e);
		return;
	}
	if (e < 0)
		buf_add(b, "0.0000", 1 + (size_t)-e);
	for (int i = 0; i < n || i <= e; i++) {
		if (i == e + 1 && e >= 0)
			buf_addch(b, '.');
		buf_addch(b, i < n ? text[i] : '0');
	}
}

/* As printed: the shortest decimal that reads back as the same number. Computed: 15 digits. */
static void add_number(struct buf *b, double v, bool computed)
{
	char text[40];

	if (add_plain(b, v))
		return;
	if (computed && v > 1e-12 && v < 1e18) {
		add_digits(b, v, 15);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, sizeof(text), "%.*g", digits, v);
		if (digits == 17 || strtod(text, NULL) == v)
			break;
	}
	buf_addstr(b, text);
}

static void add_step(struct buf *b, double step)
{
	if (!add_plain(b, step)) {
		if (step > 1e-18 && step < 1e18)
			add_digits(b, step, 3);
		else
			buf_addf(b, "%.3g", step);
	}
}

static void add_count(struct buf *b, long v)
{
	char text[24];
	size_t n = sizeof(text);

	do {
		text[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v > 0);
	buf_add(b, text + n, sizeof(text) - n);
}

/* Tab, newline and backslash are escaped, and what a terminal would act on. */
static void add_tsv(struct buf *b, const char *s)
{
	size_t plain = 0;

	while (s[plain] >= ' ' && s[plain] < 0x7f && s[plain] != '\\')
		plain++;
	if (s[plain] == '\0') { /* nearly always */
		buf_add(b, s, plain);
		return;
	}
	for (;;) {
		size_t n = strcspn(s, "\\");

		text_escape(b, s, n);
		if (s[n] == '\0')
			return;
		buf_addstr(b, "\\\\");
		s += n + 1;
	}
}

static void add_json(struct buf *b, const char *key, const char *s)
{
	struct buf safe = BUF_INIT;

	/* bytes that are no UTF-8 become text: JSON cannot hold them */
	text_escape(&safe, s, strlen(s));
	buf_addf(b, "\"%s\": \"", key);
	for (s = buf_str(&safe); *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			buf_addch(b, '\\');
		buf_addch(b, *s);
	}
	buf_addch(b, '"');
	buf_release(&safe);
}

static void print_tsv(struct output *o, const struct parse_value *v)
{
	struct buf *b = &o->line;

	add_count(b, v->run);
	buf_addch(b, '\t');
	add_tsv(b, v->label);
	buf_addch(b, '\t');
	add_tsv(b, v->metric);
	buf_addch(b, '\t');
	if (v->has_value)
		add_number(b, v->value, v->derived);
	buf_addch(b, '\t');
	add_tsv(b, v->unit);
	buf_addch(b, '\t');
	if (v->has_value && v->step > 0)
		add_step(b, v->step);
	buf_addstr(b, v->derived ? "\t1\t" : "\t0\t");
	add_tsv(b, v->file);
	buf_addch(b, '\t');
	add_count(b, v->line);
	buf_addch(b, '\t');
	add_tsv(b, v->note);
	buf_addch(b, '\t');
	add_tsv(b, v->conditions);
	buf_addch(b, '\t');
	add_tsv(b, v->software);
	buf_addch(b, '\n');
}

static void print_json(struct output *o, const struct parse_value *v)
{
	struct buf *b = &o->line;

	buf_addf(b, "%s\n  {\"run\": %d, ", o->any ? "," : "", v->run);
	add_json(b, "label", v->label);
	buf_addstr(b, ", ");
	add_json(b, "metric", v->metric);
	buf_addstr(b, ", \"value\": ");
	if (v->has_value)
		add_number(b, v->value, v->derived);
	else
		buf_addstr(b, "null");
	buf_addstr(b, ", ");
	add_json(b, "unit", v->unit);
	buf_addstr(b, ", \"step\": ");
	if (v->has_value && v->step > 0)
		add_step(b, v->step);
	else
		buf_addstr(b, "null");
	buf_addf(b, ", \"derived\": %s, ", v->derived ? "true" : "false");
	add_json(b, "file", v->file);
	buf_addf(b, ", \"line\": %ld, ", v->line);
	add_json(b, "note", v->note);
	buf_addstr(b, ", ");
	add_json(b, "conditions", v->conditions);
	buf_addstr(b, ", ");
	add_json(b, "software", v->software);
	buf_addch(b, '}');
	o->any = true;
}

static void on_value(void *arg, const struct parse_value *v)
{
	struct output *o = arg;

	buf_clear(&o->line);
	if (o->json)
		print_json(o, v);
	else
		print_tsv(o, v);
	(void)fwrite(o->line.data, 1, o->line.len, o->out);
}

static void on_warning(void *arg, const char *text)
{
	struct buf safe = BUF_INIT;

	(void)arg;
	text_escape(&safe, text, strlen(text));
	(void)fprintf(stderr, "lampduel: %s\n", buf_str(&safe));
	buf_release(&safe);
}

/* Where values stand in lampduel's own JSON: they are read in their order. */
struct place {
	const char *at; /* the text from here on, ended by a zero; NULL: no more are there */
	long line;
};

/* The line of the next value: behind the number of its metric, which nothing else has. */
static long next_line(struct place *p)
{
	static const char metric[] = "\"metric\":", value[] = "\"value\":";
	const char *s = p->at != NULL ? strstr(p->at, metric) : NULL, *number;

	for (; s != NULL; s = strstr(s, metric)) {
		s += sizeof(metric) - 1;
		number = s + strspn(s, " \t\r\n");
		if (*number >= '0' && *number <= '9')
			break;
	}
	if (s != NULL && strstr(s, value) != NULL)
		s = strstr(s, value);
	for (const char *c = p->at; s != NULL && c < s; c++)
		p->line += *c == '\n';
	p->at = s;
	return s != NULL ? p->line : 0;
}

static void on_execution(struct output *o, const struct experiment *e,
			 const struct exp_execution *x, bool counted, const char *file,
			 struct place *place)
{
	for (size_t i = 0; i < x->values.n; i++) {
		const struct exp_value *from = &x->values.v[i];
		const struct exp_metric *m = &e->metrics.v[from->metric];
		const char *why = counted ? "" : x->warmup ? "a warm-up" : "disturbed or set aside";
		char *note = from->origin != NULL
				     ? mem_printf("%s%sread from %s", why,
						  why[0] != '\0' ? "; " : "", from->origin)
				     : mem_strdup(why);
		const struct parse_value v = {
			.run = x->round,
			.label = e->systems.v[x->system].name,
			.metric = m->name,
			.has_value = counted,
			.value = from->value,
			.unit = m->unit,
			.step = from->step,
			.derived = from->derived,
			.file = (char *)(uintptr_t)file,
			.line = next_line(place),
			.note = note,
			.conditions = m->conditions,
			.software = "",
		};
		on_value(o, &v);
		free(note);
	}
}

/* The rest of a file of lampduel's own JSON, of which begun is the beginning. */
static int read_own(int fd, const char *name, struct buf *begun, struct output *o, struct err *err)
{
	struct experiment e = {.id = 0};
	struct counted_index index;
	struct place place = {.line = 1};
	ssize_t n = 1;

	while (n > 0 && begun->len <= EXCHANGE_BYTES) {
		n = read(fd, buf_reserve(begun, 1 << 16), 1 << 16);
		begun->len += n > 0 ? (size_t)n : 0;
	}
	int rc = n < 0 ? err_errno(err, errno, "cannot read %s", name)
		       : exchange_read(begun->data, begun->len, name, &e, err);
	if (rc == 0) {
		counted_index_make(&index, &e);
		place.at = strstr(buf_str(begun), "\"executions\":");
		for (const char *c = begun->data; c < place.at; c++)
			place.line += *c == '\n';
		for (size_t i = 0; i < e.executions.n; i++) {
			const struct exp_execution *x = &e.executions.v[i];
			bool counted = !x->warmup &&
				       counted_index_get(&index, x->round, x->task, x->system) == x;
			on_execution(o, &e, x, counted, name, &place);
		}
		counted_index_release(&index);
	}
	experiment_release(&e);
	return rc;
}

static int read_file(const char *name, struct output *o, const volatile int *stop, struct err *err)
{
	static char chunk[256 * 1024];
	struct parse_sink sink = {.value = on_value, .warning = on_warning, .arg = o};
	bool standard = strcmp(name, "-") == 0, own = false;
	int fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return err_errno(err, errno, "cannot open %s", name);
	struct parse_stream *s = parse_stream_new(name, &sink);
	for (bool first = true;; first = false) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR && *stop == 0)
			continue;
		if (*stop != 0)
			rc = err_code(err, ERR_INTERRUPTED, "interrupted");
		else if (n < 0)
			rc = err_errno(err, errno, "cannot read %s", name);
		if (rc != 0 || n <= 0)
			break;
		if (first && exchange_is(chunk, (size_t)n)) {
			struct buf begun = BUF_INIT;
			buf_add(&begun, chunk, (size_t)n);
			rc = read_own(fd, name, &begun, o, err);
			buf_release(&begun);
			own = true;
			break;
		}
		parse_stream_feed(s, chunk, (size_t)n);
	}
	if (rc == 0 && !own)
		rc = parse_stream_finish(s, err);
	parse_stream_free(s);
	if (!standard)
		(void)close(fd);
	return rc;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct parse_options *opt = options;
	struct output o = {.out = c->out, .json = strcmp(opt->format, "json") == 0};
	int rc = 0;

	if (argv->n == 0)
		return err_code(err, ERR_USAGE,
				"parse: name the files to read, or - for standard input");
	(void)fputs(o.json ? "["
			   : "run\tlabel\tmetric\tvalue\tunit\tstep\tderived\tfile\tline\tnote\t"
			     "conditions\tsoftware\n",
		    c->out);
	for (size_t i = 0; i < argv->n && rc != ERR_INTERRUPTED; i++) {
		struct err e = ERR_INIT;
		int one = read_file(argv->v[i], &o, c->stop, &e);

		/* the other files are read all the same; the last error is the program's */
		if (one != 0 && rc != 0)
			(void)fprintf(stderr, "lampduel: %s\n", err->msg);
		if (one != 0) {
			rc = one;
			*err = e;
		}
	}
	if (o.json)
		(void)fputs(o.any ? "\n]\n" : "]\n", c->out);
	buf_release(&o.line);
	return rc;
}

static const struct option_row rows[] = {
	{.name = "format",
	 .type = OPT_CHOICE,
	 .offset = offsetof(struct parse_options, format),
	 .arg = "tsv|json",
	 .fallback = "tsv",
	 .help = "how to print what was read"},
	{.name = NULL},
};

const struct command cmd_parse = {
	.name = "parse",
	.arguments = "[options] FILE...",
	.summary = "show what is read in pasted output",
	.details =
		"Reads what benchmark tools print, as people publish it, and prints one line for "
		"each value:\nthe Nth run of its tool, the heading it stands under, metric, value, "
		"unit, resolution, whether\nit was computed, file and line, and what there is to "
		"say "
		"about it. A cell that exists but\ncannot be used has no value and the reason in "
		"its "
		"note. FILE may be - for standard input.",
	.options = rows,
	.options_size = sizeof(struct parse_options),
	.run = run,
};
