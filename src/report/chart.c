#include "report/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/markup.h"
#include "report/words.h"

enum {
	WIDTH = 720,
	LABEL = 340,      /* forest: where the labels end and the scale begins */
	SLIM_WIDTH = 360, /* forest with the labels above the scale */
	SLIM_ROW = 46,
	SLIM_CHARS = 48,
	ROW = 34,
	TICKS_BROAD = 8,
	TICKS_SLIM = 4,
	WORDS = 70, /* "less time" */
	TICKS_MAX = 12,
	LONGEST = 80, /* bytes of a label */
	LETTER = 8,   /* width of a letter, at most */
	LABEL_CHARS = 50,
	NAME_CHARS = 18, /* of a system */
	PLOT_TOP = 14,
	PLOT_BOTTOM = 196,
	PLOT_LEFT = 84,
	PLOT_RIGHT = 520,
	SPREAD_LEFT = 548,
	SPREAD_RIGHT = 712,
	SAMPLES_HEIGHT = 236,
	FOOT = SAMPLES_HEIGHT - 6,
	MANY_ROUNDS = 60,
	TOLD_MAX = 8, /* of the samples of a system that do not count */
};

#define MARK_SIZE 3.6

/* From values to places on the paper. */
struct scale {
	double from, to; /* values */
	double low, high;
};

static double place(const struct scale *s, double value)
{
	return s->low + (value - s->from) / (s->to - s->from) * (s->high - s->low);
}

/* The shapes repeat with other colours, so that 64 systems are told apart. */
static size_t color_of(size_t system)
{
	return (system + system / CHART_SHAPES) % CHART_COLORS;
}

/*
 * Of paths: places around the middle, in a circle's radius; each as large as it must be to look
 * alike. The first two shapes are a circle and a square.
 */
static const char *const shapes[CHART_SHAPES] = {
	"",
	"-.92 -.92 .92 -.92 .92 .92 -.92 .92",
	"0 -1.28 1.17 .78 -1.17 .78",
	"0 -1.28 1.28 0 0 1.28 -1.28 0",
	"0 1.28 1.17 -.78 -1.17 -.78",
	("-.4 -1.2 .4 -1.2 .4 -.4 1.2 -.4 1.2 .4 .4 .4 .4 1.2 -.4 1.2 -.4 .4 -1.2 .4 -1.2 -.4 "
	 "-.4 -.4"),
	"-1.1 -1.1 1.1 -1.1 -1.1 1.1 1.1 1.1",
	"0 -1.5 .4 -.4 1.5 0 .4 .4 0 1.5 -.4 .4 -1.5 0 -.4 -.4",
};

/* class: "dot" for what counts, "out". size: a circle's radius. */
static void add_shape(struct buf *b, const char *class, size_t system, double x, double y,
		      double size)
{
	const char *p = shapes[system % CHART_SHAPES];
	char *end = NULL;

	if (*p == '\0') {
		buf_addf(b, "<circle class=\"%s s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", class,
			 color_of(system), x, y, size);
		return;
	}
	buf_addf(b, "<path class=\"%s s%zu\" d=\"", class, color_of(system));
	for (char command = 'M'; *p != '\0'; command = 'L', p = end) {
		double right = strtod(p, &end), down = strtod(end, &end);
		buf_addf(b, "%c%.1f %.1f", command, x + size * right, y + size * down);
	}
	buf_addstr(b, "z\"/>");
}

/* Hollow and struck out: what does not count. */
static void add_out_mark(struct buf *b, size_t system, double x, double y, double size)
{
	double reach = 1.5 * size;

	add_shape(b, "out", system, x, y, size);
	buf_addf(b, "<path class=\"out s%zu\" d=\"M%.1f %.1fl%.1f-%.1f\"/>", color_of(system),
		 x - reach, y + reach, 2 * reach, 2 * reach);
}

/* Of many rounds the marks are small, so that each is seen. */
static double mark_size(size_t rounds)
{
	return rounds > MANY_ROUNDS ? 2.2 : MARK_SIZE;
}

void chart_mark(size_t system, struct buf *b)
{
	buf_addstr(b, "<svg class=\"mark\" viewBox=\"0 0 12 12\" aria-hidden=\"true\">");
	add_shape(b, "dot", system, 6, 6, MARK_SIZE);
	buf_addstr(b, "</svg>");
}

static void add_label(struct buf *b, const char *text, double x, double y, const char *anchor)
{
	buf_addf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	markup_add(b, text, LONGEST);
	buf_addstr(b, "</text>");
}

static void add_line(struct buf *b, const char *class, double x1, double y1, double x2, double y2)
{
	buf_addf(b, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", class,
		 x1, y1, x2, y2);
}

/* class: for which windows it is. */
static void begin(struct buf *b, const char *class, int width, double height, const char *title,
		  const char *description)
{
	buf_addf(b, "<svg class=\"chart %s\" role=\"img\" viewBox=\"0 0 %d %.0f\" aria-label=\"",
		 class, width, height);
	markup_add(b, title, 4 * LONGEST);
	buf_addstr(b, ". ");
	markup_add(b, description, 4000);
	buf_addstr(b, "\"><title>");
	markup_add(b, title, 4 * LONGEST);
	buf_addstr(b, "</title>");
}

/* The forest plot. */

static void widen(struct scale *s, double times)
{
	if (!isfinite(times) || times <= 0)
		return;
	s->from = fmin(s->from, log(times));
	s->to = fmax(s->to, log(times));
}

static bool is_drawn(const struct report_model *m, const struct report_row *r, size_t system)
{
	return system != m->baseline && r->changes.v[system].has_interval;
}

static size_t forest_scale(const struct report_model *m, struct scale *s)
{
	size_t n = 0;

	s->from = -log(1.05);
	s->to = log(1.05);
	for (size_t i = 0; i < m->rows.n; i++) {
		for (size_t k = 0; k < m->systems.n; k++) {
			const struct report_change *c = &m->rows.v[i].changes.v[k];
			if (!is_drawn(m, &m->rows.v[i], k))
				continue;
			widen(s, compare_times(c->estimate.log));
			widen(s, compare_times(c->estimate.lo));
			widen(s, compare_times(c->estimate.hi));
			n++;
		}
	}
	double air = (s->to - s->from) * 0.05;
	s->from -= air;
	s->to += air;
	return n;
}

/* A forest plot with its labels beside the scale or, where there is no room for that, above. */
struct forest {
	const struct report_model *m;
	struct buf *out;
	struct scale scale;
	bool slim;
	double bottom; /* of the rows */
};

bool chart_has_forest(const struct report_model *m)
{
	struct scale s;

	return forest_scale(m, &s) > 0;
}

/* Ticks of times as fast: of the finest series of which at most so many are seen. */
static size_t times_ticks(const struct scale *s, size_t most, double *v)
{
	static const double steps[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 50, 100};
	double low = exp(s->from), high = exp(s->to);
	size_t n = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		double first = ceil(low / steps[i]), last = floor(high / steps[i]);
		if (last - first >= (double)most)
			continue;
		for (double k = first; k <= last && n < TICKS_MAX; k++) {
			if (k > 0)
				v[n++] = k * steps[i];
		}
		break;
	}
	return n;
}

static void forest_frame(const struct forest *f)
{
	const struct scale *s = &f->scale;
	double ticks[TICKS_MAX];
	size_t n = times_ticks(s, f->slim ? TICKS_SLIM : TICKS_BROAD, ticks);
	double one = place(s, 0);
	/* where the words for one side have no room, the other side's say it */
	bool left = one - s->low > WORDS || !f->slim, right = s->high - one > WORDS || !f->slim;

	if (f->m->margin > 0) {
		double a = place(s, -log1p(f->m->margin)), z = place(s, log1p(f->m->margin));
		buf_addf(f->out,
			 "<rect class=\"margin\" x=\"%.1f\" y=\"24\" width=\"%.1f\" "
			 "height=\"%.1f\"/>",
			 a, z - a, f->bottom - 24);
	}
	for (size_t i = 0; i < n; i++) {
		double x = place(s, log(ticks[i]));
		char *text = mem_printf("%gx", ticks[i]);
		add_line(f->out, "grid", x, 24, x, f->bottom);
		add_label(f->out, text, x, f->bottom + 17, "middle");
		free(text);
	}
	add_line(f->out, "axis", one, 20, one, f->bottom);
	if (left)
		add_label(f->out, "more time", one - 8, 14, "end");
	if (right)
		add_label(f->out, "less time", one + 8, 14, "start");
}

/* The whole title is in the row's own title element. */
static char *shortened(const char *text, size_t most)
{
	size_t n = text_cut(text, most);

	return text[n] == '\0' ? mem_strdup(text) : mem_printf("%.*s...", (int)n, text);
}

/* Of several candidates each row says whose it is. */
static char *forest_label(const struct forest *f, const struct report_row *r, size_t system)
{
	const struct report_model *m = f->m;
	size_t most = f->slim ? SLIM_CHARS : LABEL_CHARS;
	char *name = shortened(m->systems.v[system].name, NAME_CHARS);
	char *title = shortened(r->title, most - (m->systems.n > 2 ? strlen(name) + 2 : 0));

	if (m->systems.n > 2)
		mem_replace(&title, mem_printf("%s, %s", title, name));
	free(name);
	return title;
}

/* Who is compared with whom. */
static void forest_axis(const struct report_model *m, double x, double y, struct buf *b)
{
	char *base = shortened(m->systems.v[m->baseline].name, NAME_CHARS);
	char *other = shortened(m->systems.v[m->baseline == 0 ? 1 : 0].name, NAME_CHARS);
	char *text = mem_printf("%s%sagainst %s: times as fast%s", m->systems.n > 2 ? "" : other,
				m->systems.n > 2 ? "" : " ", base,
				m->emulated ? ", under emulation" : "");

	add_label(b, text, x, y, "middle");
	free(base);
	free(other);
	free(text);
}

/* y: where its mark is. */
static void forest_row(const struct forest *f, size_t row, size_t system, double y)
{
	const struct report_model *m = f->m;
	const struct scale *s = &f->scale;
	struct buf *b = f->out;
	const struct report_row *r = &m->rows.v[row];
	const struct report_change *c = &r->changes.v[system];
	double from = compare_times(c->estimate.hi), to = compare_times(c->estimate.lo);
	double x1 = isfinite(from) && from > 0 ? place(s, log(from)) : s->low;
	double x2 = isfinite(to) && to > 0 ? place(s, log(to)) : s->high;
	char *title = forest_label(f, r, system);

	buf_addf(b, "<g class=\"%s\"><title>", r->primary ? "judged" : "beside");
	markup_add(b, r->title, 4 * LONGEST);
	buf_addstr(b, ", ");
	markup_add(b, m->systems.v[system].name, LONGEST);
	buf_addstr(b, ": ");
	markup_add(b, c->verdict[0] != '\0' ? c->verdict : c->times, 4 * LONGEST);
	buf_addstr(b, "</title>");
	if (f->slim)
		add_label(b, title, 0, y - 14, "start");
	else
		add_label(b, title, LABEL - 10, y + 4, "end");
	buf_addf(b,
		 "<line class=\"interval s%zu\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
		 color_of(system), x1, y, x2, y);
	add_shape(b, "dot", system, place(s, log(compare_times(c->estimate.log))), y, MARK_SIZE);
	buf_addstr(b, "</g>");
	free(title);
}

static void forest_description(const struct report_model *m, struct buf *b)
{
	for (size_t i = 0; i < m->rows.n; i++) {
		for (size_t k = 0; k < m->systems.n; k++) {
			const struct report_change *c = &m->rows.v[i].changes.v[k];
			if (!is_drawn(m, &m->rows.v[i], k))
				continue;
			buf_addf(b, "%s, %s: %s. ", m->rows.v[i].title, m->systems.v[k].name,
				 c->verdict[0] != '\0' ? c->verdict : c->times);
		}
	}
}

static void forest(const struct report_model *m, bool slim, struct buf *b)
{
	struct forest f = {.m = m, .out = b, .slim = slim};
	const double height = slim ? SLIM_ROW : ROW;
	struct buf d = BUF_INIT;

	f.scale.low = slim ? 6 : LABEL;
	f.scale.high = (slim ? SLIM_WIDTH : WIDTH) - 14;
	f.bottom = 30 + (double)forest_scale(m, &f.scale) * height;
	forest_description(m, &d);
	begin(b, slim ? "slim" : "broad", slim ? SLIM_WIDTH : WIDTH, f.bottom + 42,
	      words_times_heading(m->emulated), buf_str(&d));
	forest_frame(&f);
	double y = 30 + (slim ? height * 0.7 : height / 2);
	for (size_t i = 0; i < m->rows.n; i++) {
		for (size_t k = 0; k < m->systems.n; k++) {
			if (!is_drawn(m, &m->rows.v[i], k))
				continue;
			forest_row(&f, i, k, y);
			y += height;
		}
	}
	forest_axis(m, (f.scale.low + f.scale.high) / 2, f.bottom + 36, b);
	buf_addstr(b, "</svg>");
	buf_release(&d);
}

void chart_forest(const struct report_model *m, struct buf *b)
{
	forest(m, false, b);
	forest(m, true, b);
}

/* The samples of a row. */

bool chart_has_samples(const struct report_row *r, size_t systems)
{
	size_t n = 0;

	for (size_t s = 0; s < systems; s++) {
		for (size_t k = 0; k < r->rounds; k++)
			n += isfinite(r->samples[s][k]) != 0;
	}
	return n > 1;
}

/* 1, 2 or 5 times a power of ten, so that about five steps fill the range. */
static double round_step(double range)
{
	double power = pow(10, floor(log10(range / 5)));
	double share = range / 5 / power;

	return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

static void samples_frame(const struct report_row *r, const struct scale *y, const struct scale *x,
			  struct buf *b)
{
	double step = round_step(y->to - y->from);
	int decimals = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;

	for (double v = ceil(y->from / step) * step; v <= y->to; v += step) {
		char *text = mem_printf("%.*f", decimals, v);
		add_line(b, "grid", PLOT_LEFT, place(y, v), SPREAD_RIGHT, place(y, v));
		add_label(b, text, PLOT_LEFT - 8, place(y, v) + 4, "end");
		free(text);
	}
	add_line(b, "axis", PLOT_LEFT, PLOT_BOTTOM, PLOT_RIGHT, PLOT_BOTTOM);
	add_line(b, "axis", SPREAD_LEFT, PLOT_BOTTOM, SPREAD_RIGHT, PLOT_BOTTOM);
	size_t every = (r->rounds + 14) / 15;
	for (size_t k = 0; k < r->rounds; k += every) {
		char *text = mem_printf("%zu", k + 1);
		add_label(b, text, place(x, (double)k), PLOT_BOTTOM + 16, "middle");
		free(text);
	}
	add_label(b, "round", PLOT_LEFT, FOOT, "start");
}

/* A line through the samples shows drift; it is broken where a round does not count. */
static void samples_path(const double *v, size_t n, size_t system, const struct scale *x,
			 const struct scale *y, struct buf *b)
{
	bool down = false;

	buf_addf(b, "<path class=\"path s%zu\" d=\"", color_of(system));
	for (size_t k = 0; k < n; k++) {
		if (isfinite(v[k]))
			buf_addf(b, "%c%.1f %.1f", down ? 'L' : 'M', place(x, (double)k),
				 place(y, v[k]));
		down = isfinite(v[k]);
	}
	buf_addstr(b, "\"/>");
}

static void samples_of(const struct report_model *m, const struct report_row *r, size_t s,
		       const struct scale *x, const struct scale *y, struct buf *b)
{
	const double *v = r->samples[s];
	double size = mark_size(r->rounds);
	double width = (SPREAD_RIGHT - SPREAD_LEFT) / (double)m->systems.n;
	double middle = SPREAD_LEFT + ((double)s + 0.5) * width;
	double mean = view_value(&r->view, r->figures.v[s].figure.mean);

	samples_path(v, r->rounds, s, x, y, b);
	for (size_t k = 0; k < r->rounds; k++) {
		if (!isfinite(v[k]))
			continue;
		add_shape(b, "dot", s, place(x, (double)k), place(y, v[k]), size);
		/* side by side in five lanes, so that equal values do not hide each other */
		add_shape(b, "dot", s, middle + ((double)(k % 5) - 2) * width / 9, place(y, v[k]),
			  size);
	}
	if (r->figures.v[s].figure.n > 0 && isfinite(mean))
		add_line(b, "mean", middle - width / 2.6, place(y, mean), middle + width / 2.6,
			 place(y, mean));
	char *name = mem_strndup(m->systems.v[s].name, text_cut(m->systems.v[s].name, 14));
	/* where there is no room for it, as on a phone, the mark tells */
	if ((double)text_width(name) * LETTER <= width) {
		buf_addstr(b, "<g class=\"name\">");
		add_label(b, name, middle, PLOT_BOTTOM + 16, "middle");
		buf_addstr(b, "</g>");
	}
	free(name);
}

/*
 * The scale is that of what counts; what does not may widen it by half on either side. Beyond that
 * it stands at the edge, so that one wild value does not make all others a line.
 */
static void samples_scale(const struct report_row *r, struct scale *y)
{
	double low = r->low, high = r->high;

	if (low == 0 && high == 0) { /* a time that no clock could see */
		y->from = 0;
		y->to = 1;
		return;
	}
	for (size_t i = 0; i < r->left_out.n; i++) {
		double v = r->left_out.v[i].value;
		if (!isfinite(v))
			continue;
		low = fmin(low, v);
		high = fmax(high, v);
	}
	double room = r->high > r->low ? (r->high - r->low) / 2 : fabs(r->high) * 0.05 + 1e-12;
	y->from = fmax(low, r->low - room);
	y->to = fmin(high, r->high + room);
	double air = y->to > y->from ? (y->to - y->from) * 0.08 : room;
	y->from -= air;
	y->to += air;
}

/* Says what the hollow marks are, and only what of it is to be seen. */
static void left_out_legend(const struct report_row *r, const struct scale *y, struct buf *b)
{
	const double at = PLOT_LEFT + 64, middle = FOOT - 4;
	bool beyond = false, none = false;
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < r->left_out.n; i++) {
		double v = r->left_out.v[i].value;
		none = none || !isfinite(v);
		beyond = beyond || v < y->from || v > y->to;
	}
	buf_addf(&text, "left out: %zu%s%s", r->left_out.n,
		 beyond ? "; at the edge: beyond the scale" : "",
		 none ? "; on the axis: no value" : "");
	buf_addf(b,
		 "<circle class=\"out any\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.6\"/>"
		 "<path class=\"out any\" d=\"M%.1f %.1fl11-11\"/>",
		 at, middle, at - 5.5, middle + 5.5);
	add_label(b, buf_str(&text), at + 10, FOOT, "start");
	buf_release(&text);
}

static void add_left_out(const struct report_model *m, const struct report_row *r,
			 const struct scale *x, const struct scale *y, struct buf *b)
{
	for (size_t i = 0; i < r->left_out.n; i++) {
		const struct report_left_out *o = &r->left_out.v[i];
		double v = fmin(fmax(o->value, y->from), y->to);

		buf_addstr(b, "<g><title>");
		markup_add(b, m->systems.v[o->system].name, LONGEST);
		buf_addstr(b, ", ");
		markup_add(b, o->text, LONGEST);
		buf_addstr(b, "</title>");
		add_out_mark(b, o->system, place(x, (double)o->round),
			     isfinite(o->value) ? place(y, v) : PLOT_BOTTOM, mark_size(r->rounds));
		buf_addstr(b, "</g>");
	}
	if (r->left_out.n > 0)
		left_out_legend(r, y, b);
}

/* What a system's samples are, for who cannot see them. */
static void describe_samples(const struct report_row *r, size_t s, const char *name, struct buf *d)
{
	const struct report_figure *f = &r->figures.v[s];
	size_t n = 0;

	buf_addf(d, "%s: mean %s, %s%s%s%zu samples", name,
		 f->text[0] != '\0' ? f->text : "not known",
		 f->spread[0] != '\0' ? "standard deviation " : "", f->spread,
		 f->spread[0] != '\0' ? ", " : "", f->figure.n);
	for (size_t i = 0; i < r->left_out.n; i++) {
		if (r->left_out.v[i].system != s)
			continue;
		if (++n <= TOLD_MAX)
			buf_addf(d, "%s%s", n == 1 ? ", left out: " : "; ", r->left_out.v[i].text);
	}
	if (n > TOLD_MAX)
		buf_addf(d, "; and %zu more", n - TOLD_MAX);
	buf_addstr(d, ". ");
}

/* corner: what stands above the scale, the unit at least. */
static void samples(const struct report_model *m, const struct report_row *r, const char *corner,
		    struct buf *b)
{
	struct scale x = {0, r->rounds > 1 ? (double)r->rounds - 1 : 1, PLOT_LEFT + 12,
			  PLOT_RIGHT - 12};
	struct scale y = {0, 1, PLOT_BOTTOM, PLOT_TOP + 6};
	struct buf d = BUF_INIT;

	samples_scale(r, &y);
	for (size_t s = 0; s < m->systems.n; s++)
		describe_samples(r, s, m->systems.v[s].name, &d);
	begin(b, "both", WIDTH, SAMPLES_HEIGHT, r->title, buf_str(&d));
	samples_frame(r, &y, &x, b);
	add_label(b, corner, 4, PLOT_TOP, "start");
	for (size_t s = 0; s < m->systems.n; s++)
		samples_of(m, r, s, &x, &y, b);
	add_left_out(m, r, &x, &y, b);
	buf_addstr(b, "</svg>");
	buf_release(&d);
}

void chart_samples(const struct report_model *m, const struct report_row *r, struct buf *b)
{
	samples(m, r, r->view.unit, b);
}

/* Without a page around it, the drawing has to say what it is. */
static void samples_alone(const struct report_model *m, const struct report_row *r, struct buf *b)
{
	char *title = shortened(r->title, LABEL_CHARS);
	char *corner = mem_printf("%s%s%s%s", title, m->emulated ? ", under emulation" : "",
				  r->view.unit[0] != '\0' ? ", " : "", r->view.unit);

	samples(m, r, corner, b);
	free(title);
	free(corner);
}

/* As in the page's style sheet by day; programs that draw such files know no variables. */
static const char alone_style[] =
	"<style>svg{background:#fff;font-family:sans-serif}text{font-size:12px;fill:#1d1f21}"
	".s0{color:#1b5e9b}.s1{color:#a8480c}.s2{color:#2f6f33}.s3{color:#7a3a94}"
	".s4{color:#0b6664}.s5{color:#9b1c4f}.s6{color:#5e5a00}.s7{color:#55595e}"
	".dot{fill:currentColor}"
	".grid{stroke:#d8d4cc;stroke-width:1}.axis{stroke:#1d1f21;stroke-width:1.2}"
	".mean{stroke:#1d1f21;stroke-width:2}.margin{fill:#55595e;opacity:.16}"
	".interval{stroke:currentColor;stroke-width:2.4}"
	".path{fill:none;stroke:currentColor;stroke-width:1;opacity:.55}"
	".out{fill:none;stroke:currentColor;stroke-width:1.3}.any{stroke:#1d1f21}</style>";

void chart_alone(const struct report_model *m, const struct report_row *row, struct buf *b)
{
	struct buf inner = BUF_INIT;

	if (row != NULL && chart_has_samples(row, m->systems.n))
		samples_alone(m, row, &inner);
	else if (row == NULL && chart_has_forest(m))
		forest(m, false, &inner);
	if (inner.len > 0) {
		/* no text of the model stands before the end of the first element */
		size_t tag = strlen("<svg"), first = strcspn(inner.data, ">") + 1;

		buf_addstr(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			      "<svg xmlns=\"http://www.w3.org/2000/svg\"");
		buf_add(b, inner.data + tag, first - tag);
		/* a ground of its own: programs that make a PNG leave out the style's */
		buf_addf(b, "%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>%s\n",
			 alone_style, inner.data + first);
	}
	buf_release(&inner);
}
