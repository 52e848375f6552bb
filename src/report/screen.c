#include "report/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "report/view.h"

enum {
	BAR_WIDTH = 24,
	ROOMY = 13,     /* lines: from here on with a title, blank lines and a hint */
	TITLE_MIN = 16, /* columns of a metric's name */
	GAP = 2,
	DIGITS = 4, /* of a value */
};

/* A metric of a task; a task that has given no value yet has one row without a metric. */
struct row {
	size_t task;
	const struct exp_metric *metric; /* NULL: none yet */
	size_t index;                    /* of the metric */
	char *title, *rounds;
	char **values; /* one a system */
};

struct rows {
	VEC(struct row) v;
};

/* The part of the rows that is drawn, and how wide. */
struct frame {
	const struct experiment *e;
	const struct screen_paper *paper;
	struct strvec *lines;
	size_t from, to;
	size_t title, rounds; /* columns */
	size_t *values;       /* columns, one a system */
	size_t systems;       /* of them there is room for so many */
};

bool screen_fits(const struct screen_paper *p)
{
	return p->columns >= SCREEN_COLUMNS_MIN && p->lines >= SCREEN_LINES_MIN;
}

void screen_duration(int64_t ns, struct buf *b)
{
	int64_t s = (ns + NS_PER_S / 2) / NS_PER_S;

	if (s < 90)
		buf_addf(b, "%lld s", (long long)s);
	else if (s < (int64_t)90 * 60)
		buf_addf(b, "%lld min", (long long)((s + 30) / 60));
	else
		buf_addf(b, "%lld h %lld min", (long long)(s / 3600), (long long)(s % 3600 / 60));
}

/* What this paper can show of a text that is not to be trusted; new string. */
static char *shown(const char *text, const struct screen_paper *p)
{
	char *safe = text_escaped(text);

	if (!p->utf8)
		mem_replace(&safe, text_ascii(safe));
	return safe;
}

static void add_line(struct strvec *lines, const struct screen_paper *p, const char *text)
{
	/* a line as wide as the terminal may be wrapped by it, and then cannot be drawn over */
	size_t n = text_fit(text, strlen(text), p->columns > 1 ? p->columns - 1 : 1);

	strvec_pushf(lines, "%.*s", (int)n, text);
}

static void add_share(const struct event *e, const struct screen_paper *p, struct buf *b)
{
	int64_t filled = e->total == 0 ? 0 : e->done * BAR_WIDTH / e->total;

	buf_addch(b, '[');
	for (int i = 0; i < BAR_WIDTH; i++)
		buf_addstr(b, i < filled ? (p->utf8 ? "\xe2\x96\x88" : "#")
					 : (p->utf8 ? "\xe2\x96\x91" : "."));
	buf_addf(b, "] %3lld %%", (long long)(e->total == 0 ? 0 : e->done * 100 / e->total));
	if (e->left_ns >= 0 && e->done < e->total) {
		buf_addstr(b, ", about ");
		screen_duration(e->left_ns, b);
		buf_addstr(b, " left");
	}
}

static void add_place(const struct event *e, const struct screen_paper *p, struct buf *b)
{
	const struct exp_execution *x = e->execution;
	char *text = NULL;

	if (x != NULL)
		text = mem_printf("%s on %s", e->experiment->tasks.v[x->task].name,
				  e->experiment->systems.v[x->system].name);
	char *safe = shown(text != NULL ? text : e->text != NULL ? e->text : "", p);
	buf_addf(b, "%sround %d of %d: %s", e->warmup ? "warm-up " : "", e->round, e->rounds, safe);
	free(safe);
	free(text);
}

void screen_bar(const struct event *e, const struct screen_paper *p, struct buf *out)
{
	struct buf b = BUF_INIT;

	add_share(e, p, &b);
	if (e->text != NULL) {
		buf_addstr(&b, ", ");
		add_place(e, p, &b);
	}
	buf_add(out, buf_str(&b),
		text_fit(buf_str(&b), b.len, p->columns > 1 ? p->columns - 1 : 1));
	buf_release(&b);
}

/* Has the metric been seen in this task? Its executions are many: the newest are looked at first.
 */
static bool belongs(const struct experiment *e, size_t task, size_t metric)
{
	for (size_t i = e->executions.n; i > 0; i--) {
		const struct exp_execution *x = &e->executions.v[i - 1];
		if (x->task == task && x->values.n > 0)
			return exp_execution_value(x, metric) != NULL;
	}
	return false;
}

static void collect(const struct experiment *e, bool primary, struct rows *rows)
{
	for (size_t t = 0; t < e->tasks.n; t++) {
		bool any = false;
		for (size_t k = 0; k < e->metrics.n; k++) {
			if (!belongs(e, t, k))
				continue;
			any = true;
			if (e->metrics.v[k].primary != primary)
				continue;
			const struct row r = {.task = t, .metric = &e->metrics.v[k], .index = k};
			vec_push(&rows->v, r);
		}
		if (!any && primary) {
			const struct row r = {.task = t};
			vec_push(&rows->v, r);
		}
	}
}

/* The newest execution of a task on a system, warm-ups and failed ones included; or NULL. */
static const struct exp_execution *newest(const struct experiment *e, size_t task, size_t system)
{
	for (size_t i = e->executions.n; i > 0; i--) {
		const struct exp_execution *x = &e->executions.v[i - 1];
		if (x->task == task && x->system == system)
			return x;
	}
	return NULL;
}

static char *value_text(const struct exp_execution *x, const struct row *r, const struct view *view)
{
	const struct exp_value *v =
		x == NULL || r->metric == NULL ? NULL : exp_execution_value(x, r->index);
	struct buf b = BUF_INIT;

	if (x != NULL && x->status != OUTCOME_OK) {
		buf_addstr(&b, outcome_status_name(x->status));
	} else if (x != NULL && x->disturbed) {
		buf_addstr(&b, "disturbed");
	} else if (v == NULL) {
		buf_addch(&b, '-');
	} else {
		text_add_significant(&b, view_value(view, v->value), DIGITS);
		if (view->unit[0] != '\0')
			buf_addf(&b, " %s", view->unit);
	}
	return buf_detach(&b);
}

static bool is_whole(const struct counted_index *index, const struct row *r, int round)
{
	for (size_t s = 0; s < index->systems; s++) {
		const struct exp_execution *x = counted_index_get(index, round, r->task, s);
		if (x == NULL || (r->metric != NULL && exp_execution_value(x, r->index) == NULL))
			return false;
	}
	return true;
}

static void fill(const struct experiment *e, const struct screen_paper *p,
		 const struct counted_index *index, struct row *r)
{
	struct view view = {.unit = "", .scale = 1};
	char *title = r->metric == NULL ? NULL : view_title(r->metric, &e->tasks.v[r->task]);
	double typical = 0;
	int done = 0;

	r->title = shown(title != NULL ? title : e->tasks.v[r->task].name, p);
	free(title);
	for (int round = 1; round <= index->rounds; round++)
		done += is_whole(index, r, round);
	r->rounds = mem_printf("%d/%d", done, e->rounds_planned);
	for (size_t s = 0; r->metric != NULL && s < e->systems.n; s++) {
		const struct exp_execution *x = newest(e, r->task, s);
		const struct exp_value *v = x == NULL ? NULL : exp_execution_value(x, r->index);
		typical = v == NULL ? typical : fmax(typical, v->value);
	}
	if (r->metric != NULL)
		view = view_main(r->metric, typical);
	r->values = mem_array(e->systems.n, sizeof(*r->values));
	for (size_t s = 0; s < e->systems.n; s++)
		r->values[s] = value_text(newest(e, r->task, s), r, &view);
}

static void rows_release(struct rows *rows, size_t systems)
{
	for (size_t i = 0; i < rows->v.n; i++) {
		struct row *r = &rows->v.v[i];
		for (size_t s = 0; r->values != NULL && s < systems; s++)
			free(r->values[s]);
		free(r->values);
		free(r->title);
		free(r->rounds);
	}
	vec_release(&rows->v);
}

/* The task that the event is about. */
static size_t current_task(const struct event *e)
{
	const struct experiment *x = e->experiment;
	size_t t = 0;

	if (e->execution != NULL)
		return e->execution->task;
	for (; e->text != NULL && t < x->tasks.n; t++) {
		size_t n = strlen(x->tasks.v[t].name);
		if (strncmp(e->text, x->tasks.v[t].name, n) == 0 &&
		    text_starts(e->text + n, " on "))
			return t;
	}
	return 0;
}

/* Where there is no room for all rows: the page that has the current task's. */
static void choose_page(struct frame *f, const struct rows *rows, size_t room, size_t task)
{
	size_t at = 0;

	f->from = 0;
	f->to = rows->v.n;
	if (rows->v.n <= room)
		return;
	while (at + 1 < rows->v.n && rows->v.v[at].task != task)
		at++;
	f->from = at / room * room;
	f->to = f->from + room < rows->v.n ? f->from + room : rows->v.n;
}

static char *heading(const struct frame *f, size_t s)
{
	const struct exp_system *y = &f->e->systems.v[s];
	char *name = mem_strndup(y->name, text_cut(y->name, TITLE_MIN));
	char *safe = shown(name, f->paper);

	free(name);
	if (y->emulated)
		mem_replace(&safe, mem_printf("%s (emulated)", safe));
	return safe;
}

/* Systems that have no room beside a name of at least TITLE_MIN columns are left out. */
static void measure(struct frame *f, const struct rows *rows)
{
	size_t room = f->paper->columns - 1;

	f->title = strlen("metric");
	f->rounds = strlen("rounds");
	for (size_t i = f->from; i < f->to; i++) {
		size_t title = text_width(rows->v.v[i].title);
		size_t done = strlen(rows->v.v[i].rounds);
		f->title = title > f->title ? title : f->title;
		f->rounds = done > f->rounds ? done : f->rounds;
	}
	size_t least = f->title < TITLE_MIN ? f->title : TITLE_MIN;
	size_t used = f->rounds + GAP;
	f->values = mem_array(f->e->systems.n, sizeof(*f->values));
	for (f->systems = 0; f->systems < f->e->systems.n; f->systems++) {
		char *name = heading(f, f->systems);
		size_t w = text_width(name);
		for (size_t i = f->from; i < f->to; i++) {
			size_t value = text_width(rows->v.v[i].values[f->systems]);
			w = value > w ? value : w;
		}
		free(name);
		if (least + used + GAP + w > room)
			break;
		f->values[f->systems] = w;
		used += GAP + w;
	}
	f->title = f->title + used > room ? room - used : f->title;
}

static void pad_to(struct buf *b, const char *text, size_t width, bool right)
{
	char *part = mem_strndup(text, text_fit(text, strlen(text), width));

	text_pad(b, part, width, right);
	free(part);
}

static void put_row(const struct frame *f, const char *title, const char *rounds,
		    char *const *values)
{
	struct buf b = BUF_INIT;

	pad_to(&b, title, f->title, false);
	buf_addstr(&b, "  ");
	pad_to(&b, rounds, f->rounds, true);
	for (size_t s = 0; s < f->systems; s++) {
		buf_addstr(&b, "  ");
		pad_to(&b, values[s], f->values[s], true);
	}
	add_line(f->lines, f->paper, buf_str(&b));
	buf_release(&b);
}

/* Says which part of all is seen. */
static void put_missing(const struct frame *f, size_t rows)
{
	bool some = f->to - f->from < rows, few = f->systems < f->e->systems.n;
	struct buf b = BUF_INIT;

	if (some)
		buf_addf(&b, "metrics %zu to %zu of %zu%s", f->from + 1, f->to, rows,
			 few ? ", " : "");
	if (few)
		buf_addf(&b, "%zu of %zu systems", f->systems, f->e->systems.n);
	if (some || few)
		add_line(f->lines, f->paper, buf_str(&b));
	buf_release(&b);
}

static void put_table(struct frame *f, const struct rows *rows)
{
	char **names = mem_array(f->e->systems.n, sizeof(*names));

	measure(f, rows);
	for (size_t s = 0; s < f->e->systems.n; s++)
		names[s] = heading(f, s);
	put_row(f, "metric", "rounds", names);
	for (size_t i = f->from; i < f->to; i++)
		put_row(f, rows->v.v[i].title, rows->v.v[i].rounds, rows->v.v[i].values);
	for (size_t s = 0; s < f->e->systems.n; s++)
		free(names[s]);
	free(names);
	put_missing(f, rows->v.n);
}

static void put_head(const struct event *e, const struct screen_paper *p, struct strvec *lines)
{
	struct buf b = BUF_INIT;
	bool roomy = p->lines >= ROOMY;

	if (roomy) {
		char *title = shown(e->experiment->title == NULL ? "" : e->experiment->title, p);
		add_line(lines, p, title);
		free(title);
	}
	add_share(e, p, &b);
	add_line(lines, p, buf_str(&b));
	buf_clear(&b);
	buf_addstr(&b, e->type == EVENT_SAMPLE ? "done: " : "now:  ");
	add_place(e, p, &b);
	add_line(lines, p, buf_str(&b));
	if (roomy)
		add_line(lines, p, "");
	buf_release(&b);
}

void screen_lines(const struct event *e, const struct screen_paper *p, struct strvec *lines)
{
	struct frame f = {.e = e->experiment, .paper = p, .lines = lines};
	struct counted_index index;
	struct rows rows = {{0}};
	size_t first = lines->n;

	put_head(e, p, lines);
	/* below are the heading, what is left out, and the line of the cursor */
	size_t taken = lines->n - first + 3;
	size_t room = p->lines > taken + 1 ? p->lines - taken : 1;
	counted_index_make(&index, f.e);
	collect(f.e, true, &rows);
	size_t primary = rows.v.n;
	collect(f.e, false, &rows);
	if (rows.v.n > room && primary > 0)
		rows.v.n = primary;
	choose_page(&f, &rows, room, current_task(e));
	for (size_t i = f.from; i < f.to; i++)
		fill(f.e, p, &index, &rows.v.v[i]);
	put_table(&f, &rows);
	if (p->lines >= ROOMY && lines->n - first + 3 <= p->lines) {
		add_line(lines, p, "");
		add_line(lines, p, "Ctrl-C stops the run; what was measured is kept.");
	}
	counted_index_release(&index);
	rows_release(&rows, f.e->systems.n);
	free(f.values);
}

static bool is_equal(const struct strvec *a, const struct strvec *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++) {
		if (strcmp(a->v[i], b->v[i]) != 0)
			return false;
	}
	return a->n == b->n;
}

void screen_update(const struct strvec *before, const struct strvec *now, struct buf *out)
{
	if (is_equal(before, now))
		return;
	if (before->n > 0)
		buf_addf(out, "\033[%zuA", before->n);
	/* all of them: a key that was pressed meanwhile may have moved the cursor by a line */
	for (size_t i = 0; i < now->n; i++)
		buf_addf(out, "\r%s\033[K\n", now->v[i]);
	buf_addstr(out, "\r\033[J");
}
