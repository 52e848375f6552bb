#include "report/html_repeat.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonx.h"
#include "base/text.h"
#include "facts/fact.h"
#include "report/markup.h"

#define PACKAGE "package."
#define PACKAGE_HASH "package_sha256."

enum {
	SHORT_WORD = 40, /* a longer one may be broken */
	CELL = 200,      /* bytes */
	COMMAND = 1600,
	PLAN = 16000,
};

/* Lines may end between words alone: an option is no place to break one. */
static void add_command(const char *text, struct buf *out)
{
	for (size_t done = 0; *text != '\0' && done < COMMAND;) {
		size_t n = strcspn(text, " "), blanks = strspn(text + n, " ");
		char *word = mem_strndup(text, n);

		buf_addstr(out, n < SHORT_WORD ? "<span class=\"word\">" : "<span>");
		markup_add(out, word, COMMAND);
		buf_addf(out, "</span>%.*s", (int)blanks, text + n);
		free(word);
		text += n + blanks;
		done += n + blanks;
	}
	buf_addstr(out, *text != '\0' ? "..." : "");
}

/* What a file for run -f, or a default, made of the command. */
static void add_plan(const struct experiment *e, struct buf *out)
{
	json_t *plan = json_loads(e->plan, 0, NULL);

	if (json_object_size(plan) > 0) {
		char *text = jsonx_take_text(json_incref(plan),
					     JSON_INDENT(1) | JSON_SORT_KEYS | JSON_ENSURE_ASCII);

		buf_addstr(out, "<details>\n<summary>The whole plan</summary>\n<pre><code>");
		markup_add(out, text, PLAN);
		buf_addstr(out, "</code></pre>\n</details>\n");
		free(text);
	}
	json_decref(plan);
}

static void add_safe(const char *text, struct buf *out)
{
	char *safe = text_escaped(text);

	markup_add(out, safe, CELL);
	free(safe);
}

static void add_cell(const struct factset *f, const char *name, struct buf *out)
{
	char *key = mem_printf(PACKAGE "%s", name), *hash_key = mem_printf(PACKAGE_HASH "%s", name);
	const char *version = factset_get(f, key), *hash = factset_get(f, hash_key);

	buf_addstr(out, "<td>");
	add_safe(version != NULL ? version : "", out);
	if (version != NULL && hash != NULL) {
		buf_addstr(out, "<small><code>");
		add_safe(hash, out);
		buf_addstr(out, "</code></small>");
	}
	buf_addstr(out, "</td>\n");
	free(key);
	free(hash_key);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the packages that any system has, each once, sorted. */
static void list_packages(const struct experiment *e, struct strvec *names)
{
	for (size_t s = 0; s < e->systems.n; s++) {
		const struct factset *f = &e->systems.v[s].facts;
		for (size_t i = 0; i < f->n; i++) {
			if (text_starts(f->v[i].key, PACKAGE))
				strvec_push(names, f->v[i].key + strlen(PACKAGE));
		}
	}
	if (names->n > 1)
		qsort(names->v, names->n, sizeof(*names->v), by_text);
	size_t kept = 0;
	for (size_t i = 0; i < names->n; i++) {
		if (kept > 0 && strcmp(names->v[kept - 1], names->v[i]) == 0)
			free(names->v[i]);
		else
			names->v[kept++] = names->v[i];
	}
	names->n = kept;
}

static void add_packages(const struct report_model *m, const struct experiment *e, struct buf *out)
{
	struct strvec names = STRVEC_INIT;

	list_packages(e, &names);
	if (names.n > 0) {
		buf_addstr(out,
			   "<details>\n<summary>Packages, with the SHA-256 of their files where it "
			   "is known</summary>\n<div class=\"wide\" role=\"region\" "
			   "tabindex=\"0\" aria-label=\"Packages\">\n<table>\n"
			   "<thead><tr><th scope=\"col\">Package</th>");
		for (size_t s = 0; s < e->systems.n; s++) {
			buf_addstr(out, "<th scope=\"col\">");
			markup_add(out, m->systems.v[s].name, CELL);
			buf_addstr(out, "</th>");
		}
		buf_addstr(out, "</tr></thead>\n<tbody>\n");
		for (size_t i = 0; i < names.n; i++) {
			buf_addstr(out, "<tr><th scope=\"row\">");
			add_safe(names.v[i], out);
			buf_addstr(out, "</th>");
			for (size_t s = 0; s < e->systems.n; s++)
				add_cell(&e->systems.v[s].facts, names.v[i], out);
			buf_addstr(out, "</tr>\n");
		}
		buf_addstr(out, "</tbody></table></div>\n</details>\n");
	}
	strvec_release(&names);
}

void html_repeat(const struct report_model *m, const struct experiment *e, struct buf *out)
{
	if (m->command[0] == '\0')
		return;
	buf_addstr(out, "<h2>How to repeat it</h2>\n<pre><code>");
	add_command(m->command, out);
	buf_addstr(out, "</code></pre>\n");
	if (m->id == 0 || text_equal(m->kind, "import"))
		return;
	buf_addf(
		out,
		"<p class=\"small\">With <code>--seed %llu</code> the order is the same again. The "
		"versions are in the table of the configuration.</p>\n",
		(unsigned long long)m->seed);
	add_plan(e, out);
	add_packages(m, e, out);
}
