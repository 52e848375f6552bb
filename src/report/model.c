#include "report/model.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/text.h"
#include "report/model_parts.h"
#include "report/words.h"

/* "https://example.org/page" becomes "https://.../page". */
static void hide_hosts(char **text)
{
	struct buf b = BUF_INIT;
	const char *p = *text;
	const char *at = NULL;

	while ((at = strstr(p, "://")) != NULL) {
		buf_add(&b, p, (size_t)(at - p) + 3);
		p = at + 3;
		size_t host = strcspn(p, "/?'\" \t");
		if (host > 0)
			buf_addstr(&b, "...");
		p += host;
	}
	buf_addstr(&b, p);
	mem_replace(text, buf_detach(&b));
}

/* Targets are hidden by report/hide.h before; of addresses all hosts are, loopback's as well. */
static char *text_of(const char *text, bool identify)
{
	char *copy = mem_strdup(text);

	if (!identify)
		hide_hosts(&copy);
	mem_replace(&copy, text_escaped(copy));
	return copy;
}

void model_note(struct report_model *m, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(&m->notes, mem_vprintf(fmt, ap));
	va_end(ap);
}

static void make_head(struct report_model *m, const struct experiment *e, bool identify)
{
	m->id = e->id;
	m->title = text_of(e->title, identify);
	m->state = text_escaped(e->state);
	m->kind = text_escaped(e->kind);
	m->command = text_of(e->command, identify);
	m->version = text_escaped(e->version);
	m->seed = e->seed;
	clock_format_utc(e->created_unix_ns, m->created, sizeof(m->created));
	m->seconds = e->ended_unix_ns > e->created_unix_ns
			     ? (e->ended_unix_ns - e->created_unix_ns) / NS_PER_S
			     : -1;
	m->rounds_planned = e->rounds_planned;
	m->warmup_rounds = e->warmup_rounds;
	m->lives = e->lives;
	m->baseline = experiment_baseline(e);
}

static void make_systems(struct report_model *m, const struct experiment *e)
{
	for (size_t i = 0; i < e->systems.n; i++) {
		const struct exp_system *from = &e->systems.v[i];
		struct report_system *s = vec_add(&m->systems);

		s->name = text_escaped(from->name);
		s->target = text_escaped(from->target);
		s->emulated = from->emulated;
		s->emulator = text_escaped(from->emulator);
		m->emulated = m->emulated || from->emulated;
	}
	for (size_t i = 0; i < e->tasks.n; i++)
		vec_push(&m->tasks, text_escaped(e->tasks.v[i].name));
}

void report_model_make(struct report_model *m, const struct experiment *e,
		       const struct report_model_options *o)
{
	struct counted_index index;

	*m = (struct report_model){.id = 0};
	counted_index_make(&index, e);
	make_head(m, e, o->identify);
	make_systems(m, e);
	model_config(m, e);
	model_rows(m, e, &index);
	model_problems(m, e, &index);
	words_notes(e, m);
	model_differences(m, e);
	for (size_t i = 0; i < e->notes.n; i++)
		vec_push(&m->notes, text_of(e->notes.v[i], o->identify));
	counted_index_release(&index);
}

static void free_strings(char **v, size_t n)
{
	for (size_t i = 0; v != NULL && i < n; i++)
		free(v[i]);
	free(v);
}

static void release_texts(struct report_model *m)
{
	free_strings(m->notes.v, m->notes.n);
	free_strings(m->tasks.v, m->tasks.n);
	free_strings(m->overall.v, m->overall.n);
	free_strings(m->explanations.v, m->explanations.n);
	free(m->title);
	free(m->state);
	free(m->kind);
	free(m->command);
	free(m->version);
}

static void release_config(struct report_model *m)
{
	for (size_t i = 0; i < m->facts.n; i++) {
		free(m->facts.v[i].label);
		free_strings(m->facts.v[i].values, m->systems.n);
	}
	for (size_t i = 0; i < m->settings.n; i++) {
		free(m->settings.v[i].name);
		free(m->settings.v[i].reason);
		free_strings(m->settings.v[i].values, m->systems.n);
	}
	vec_release(&m->facts);
	vec_release(&m->settings);
}

void report_model_release(struct report_model *m)
{
	release_config(m);
	for (size_t i = 0; i < m->systems.n; i++) {
		free(m->systems.v[i].name);
		free(m->systems.v[i].target);
		free(m->systems.v[i].emulator);
	}
	for (size_t i = 0; i < m->rows.n; i++)
		model_row_release(&m->rows.v[i]);
	for (size_t i = 0; i < m->problems.n; i++) {
		free(m->problems.v[i].what);
		free(m->problems.v[i].reason);
	}
	vec_release(&m->systems);
	vec_release(&m->rows);
	vec_release(&m->problems);
	release_texts(m);
	*m = (struct report_model){.id = 0};
}
