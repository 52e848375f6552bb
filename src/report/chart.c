#include "report/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/markup.h"
#include "report/words.h"

enum {
	WIDTH = 720,
	LABEL = 340, /* forest: where the labels end and the scale begins */
	ROW = 34,
	TICKS_MAX = 12,
	LONGEST = 80, /* bytes of a label */
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

/*
 * class: what comes before the system's own, with a blank, or "". size: a circle's radius; the
 * other shapes are as large as they must be to look alike.
 */
static void add_shape(struct buf *b, const char *class, size_t system, double x, double y,
		      double size)
{
	size_t shape = system % CHART_SHAPES;

	if (shape == 0)
		buf_addf(b, "<circle class=\"%ss0\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", class, x,
			 y, size);
	else if (shape == 1)
		buf_addf(b,
			 "<rect class=\"%ss1\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
			 "height=\"%.1f\"/>",
			 class, x - 0.92 * size, y - 0.92 * size, 1.84 * size, 1.84 * size);
	else if (shape == 2)
		buf_addf(b, "<path class=\"%ss2\" d=\"M%.1f %.1fl%.1f %.1fh-%.1fz\"/>", class, x,
			 y - 1.28 * size, 1.17 * size, 2.06 * size, 2.34 * size);
	else
		buf_addf(b,
			 "<path class=\"%ss3\" d=\"M%.1f %.1fl%.1f %.1fl-%.1f %.1fl-%.1f-%.1fz\"/>",
			 class, x, y - 1.28 * size, 1.28 * size, 1.28 * size, 1.28 * size,
			 1.28 * size, 1.28 * size, 1.28 * size);
}

/* Hollow and struck out: what does not count. */
static void add_out_mark(struct buf *b, size_t system, double x, double y, double size)
{
	double reach = 1.5 * size;

	add_shape(b, "out ", system, x, y, size);
	buf_addf(b, "<path class=\"out s%zu\" d=\"M%.1f %.1fl%.1f-%.1f\"/>", system % CHART_SHAPES,
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
	add_shape(b, "", system, 6, 6, MARK_SIZE);
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

static void begin(struct buf *b, double height, const char *title, const char *description)
{
	buf_addf(b, "<svg class=\"chart\" role=\"img\" viewBox=\"0 0 %d %.0f\" aria-label=\"",
		 WIDTH, height);
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

	*s = (struct scale){-log(1.05), log(1.05), LABEL, WIDTH - 14};
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

bool chart_has_forest(const struct report_model *m)
{
	struct scale s;

	return forest_scale(m, &s) > 0;
}

/* Ticks of times as fast: of the finest series of which at most eight are seen. */
static size_t times_ticks(const struct scale *s, double *v)
{
	static const double steps[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 50, 100};
	double low = exp(s->from), high = exp(s->to);
	size_t n = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		double first = ceil(low / steps[i]), last = floor(high / steps[i]);
		if (last - first > 7)
			continue;
		for (double k = first; k <= last && n < TICKS_MAX; k++) {
			if (k > 0)
				v[n++] = k * steps[i];
		}
		break;
	}
	return n;
}

static void forest_frame(const struct report_model *m, const struct scale *s, double bottom,
			 struct buf *b)
{
	double ticks[TICKS_MAX];
	size_t n = times_ticks(s, ticks);
	double one = place(s, 0);

	if (m->margin > 0) {
		double a = place(s, -log1p(m->margin)), z = place(s, log1p(m->margin));
		buf_addf(b,
			 "<rect class=\"margin\" x=\"%.1f\" y=\"24\" width=\"%.1f\" "
			 "height=\"%.1f\"/>",
			 a, z - a, bottom - 24);
	}
	for (size_t i = 0; i < n; i++) {
		double x = place(s, log(ticks[i]));
		char *text = mem_printf("%gx", ticks[i]);
		add_line(b, "grid", x, 24, x, bottom);
		add_label(b, text, x, bottom + 17, "middle");
		free(text);
	}
	add_line(b, "axis", one, 20, one, bottom);
	add_label(b, "more time", one - 8, 14, "end");
	add_label(b, "less time", one + 8, 14, "start");
}

/* The whole title is in the row's own title element. */
static char *shortened(const char *text, size_t most)
{
	size_t n = text_cut(text, most);

	return text[n] == '\0' ? mem_strdup(text) : mem_printf("%.*s...", (int)n, text);
}

/* Of several candidates each row says whose it is. */
static char *forest_label(const struct report_model *m, const struct report_row *r, size_t system)
{
	char *name = shortened(m->systems.v[system].name, NAME_CHARS);
	char *title = shortened(r->title, LABEL_CHARS - (m->systems.n > 2 ? strlen(name) + 2 : 0));

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

static void forest_row(const struct report_model *m, const struct scale *s, size_t row,
		       size_t system, double y, struct buf *b)
{
	const struct report_row *r = &m->rows.v[row];
	const struct report_change *c = &r->changes.v[system];
	double from = compare_times(c->estimate.hi), to = compare_times(c->estimate.lo);
	double x1 = isfinite(from) && from > 0 ? place(s, log(from)) : s->low;
	double x2 = isfinite(to) && to > 0 ? place(s, log(to)) : s->high;
	char *title = forest_label(m, r, system);

	buf_addf(b, "<g class=\"%s\"><title>", r->primary ? "judged" : "beside");
	markup_add(b, r->title, 4 * LONGEST);
	buf_addstr(b, ", ");
	markup_add(b, m->systems.v[system].name, LONGEST);
	buf_addstr(b, ": ");
	markup_add(b, c->verdict[0] != '\0' ? c->verdict : c->times, 4 * LONGEST);
	buf_addstr(b, "</title>");
	add_label(b, title, LABEL - 10, y + 4, "end");
	buf_addf(b,
		 "<line class=\"interval s%zu\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
		 system % CHART_SHAPES, x1, y, x2, y);
	add_shape(b, "", system, place(s, log(compare_times(c->estimate.log))), y, MARK_SIZE);
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

void chart_forest(const struct report_model *m, struct buf *b)
{
	struct scale s;
	struct buf d = BUF_INIT;
	size_t n = forest_scale(m, &s);
	double bottom = 30 + (double)n * ROW, y = 30 + ROW / 2.0;

	forest_description(m, &d);
	begin(b, bottom + 42, words_times_heading(m->emulated), buf_str(&d));
	forest_frame(m, &s, bottom, b);
	for (size_t i = 0; i < m->rows.n; i++) {
		for (size_t k = 0; k < m->systems.n; k++) {
			if (!is_drawn(m, &m->rows.v[i], k))
				continue;
			forest_row(m, &s, i, k, y, b);
			y += ROW;
		}
	}
	forest_axis(m, (s.low + s.high) / 2, bottom + 36, b);
	buf_addstr(b, "</svg>");
	buf_release(&d);
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

	buf_addf(b, "<path class=\"path s%zu\" d=\"", system % CHART_SHAPES);
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
		add_shape(b, "", s, place(x, (double)k), place(y, v[k]), size);
		/* side by side in five lanes, so that equal values do not hide each other */
		add_shape(b, "", s, middle + ((double)(k % 5) - 2) * width / 9, place(y, v[k]),
			  size);
	}
	if (r->figures.v[s].figure.n > 0 && isfinite(mean))
		add_line(b, "mean", middle - width / 2.6, place(y, mean), middle + width / 2.6,
			 place(y, mean));
	char *name = mem_strndup(m->systems.v[s].name, text_cut(m->systems.v[s].name, 14));
	add_label(b, name, middle, PLOT_BOTTOM + 16, "middle");
	free(name);
}

/*
 * The scale is that of what counts; what does not may widen it by half on either side. Beyond that
 * it stands at the edge, so that one wild value does not make all others a line.
 */
static void samples_scale(const struct report_row *r, struct scale *y)
{
	double low = r->low, high = r->high;

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
	begin(b, SAMPLES_HEIGHT, r->title, buf_str(&d));
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
	".s0{fill:#1b5e9b}.s1{fill:#a8480c}.s2{fill:#2f6f33}.s3{fill:#7a3a94}"
	".grid{stroke:#d8d4cc;stroke-width:1}.axis{stroke:#1d1f21;stroke-width:1.2}"
	".mean{stroke:#1d1f21;stroke-width:2}.margin{fill:#55595e;opacity:.16}"
	".interval{stroke-width:2.4}.path{fill:none;stroke-width:1;opacity:.55}"
	".interval.s0,.path.s0{stroke:#1b5e9b}.interval.s1,.path.s1{stroke:#a8480c}"
	".interval.s2,.path.s2{stroke:#2f6f33}.interval.s3,.path.s3{stroke:#7a3a94}"
	".path.s0,.path.s1,.path.s2,.path.s3,.out.s0,.out.s1,.out.s2,.out.s3{fill:none}"
	".out{stroke-width:1.3}.any{fill:none;stroke:#1d1f21}.out.s0{stroke:#1b5e9b}.out.s1{stroke:"
	"#a8480c}"
	".out.s2{stroke:#2f6f33}.out.s3{stroke:#7a3a94}</style>";

void chart_alone(const struct report_model *m, const struct report_row *row, struct buf *b)
{
	struct buf inner = BUF_INIT;

	if (row != NULL && chart_has_samples(row, m->systems.n))
		samples_alone(m, row, &inner);
	else if (row == NULL && chart_has_forest(m))
		chart_forest(m, &inner);
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
