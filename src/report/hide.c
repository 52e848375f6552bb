#include "report/hide.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "report/private.h"

enum { SECRET_MIN = 3 }; /* shorter words would be found everywhere */

/* Texts to be replaced, in this order, so that longer ones come before their parts. */
struct secret {
	char *what, *with;
};

struct secrets {
	VEC(struct secret) v;
};

static void add_secret(struct secrets *s, const char *what, size_t len, const char *with)
{
	if (len < SECRET_MIN)
		return;
	struct secret x = {mem_strndup(what, len), mem_strdup(with)};
	if (text_equal(x.what, "localhost") || text_equal(x.what, x.with)) {
		free(x.what);
		free(x.with);
		return;
	}
	vec_push(&s->v, x);
}

/* "user@host:port", and the host by itself. */
static void add_login(struct secrets *s, const char *login)
{
	const char *at = strrchr(login, '@');
	const char *host = at != NULL ? at + 1 : login;
	size_t len = strcspn(host, host[0] == '[' ? "]" : ":");

	add_secret(s, login, strlen(login), "...");
	if (host[0] == '[' && host[len] == ']')
		len++;
	add_secret(s, host, len, "...");
	if (host[0] == '[' && len > 2)
		add_secret(s, host + 1, len - 2, "...");
}

/* A target as it may be published, safe to print; new string. */
static char *shown_target(const char *target)
{
	static const char *const with_folders[] = {"dir:", "recorded:"};

	if (text_starts(target, "ssh:"))
		return mem_strdup("ssh:...");
	for (size_t i = 0; i < sizeof(with_folders) / sizeof(with_folders[0]); i++) {
		const char *slash = strrchr(target, '/');

		if (text_starts(target, with_folders[i]) && slash != NULL && slash[1] != '\0') {
			char *name = text_escaped(slash + 1);
			char *shown = mem_printf("%s.../%s", with_folders[i], name);
			free(name);
			return shown;
		}
	}
	return text_escaped(target);
}

static void add_target(struct secrets *s, const char *target)
{
	char *shown = shown_target(target);

	if (!text_equal(shown, target)) {
		const char *path = strchr(target, ':') + 1;
		add_secret(s, target, strlen(target), shown);
		if (text_starts(target, "ssh:"))
			add_login(s, path);
		else
			add_secret(s, path, strlen(path), strchr(shown, ':') + 1);
	}
	free(shown);
}

static bool ends_in_one_of(const char *key, const char *const *ends, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(ends[i]), all = strlen(key);
		if (all >= len && strcasecmp(key + all - len, ends[i]) == 0)
			return true;
	}
	return false;
}

/* Facts that name the machine or somebody. */
static bool is_name(const struct fact *f)
{
	static const char *const ends[] = {".host",       "host.name", "hostname",  ".fqdn",
					   ".user",       ".address",  "_host",     "_address",
					   "_user",       "_email",    "mail_from", "node_name",
					   "cluster_name"};

	/* as whom lampduel lets a server run: root or www-data, and nobody's secret */
	if (text_starts(f->key, "setting.") || private_is_anybodys(f->value, strlen(f->value)))
		return false;
	return ends_in_one_of(f->key, ends, sizeof(ends) / sizeof(ends[0]));
}

static void collect(struct secrets *s, const struct experiment *e)
{
	for (size_t i = 0; i < e->systems.n; i++)
		add_target(s, e->systems.v[i].target);
	for (size_t i = 0; i < e->systems.n; i++) {
		const struct factset *f = &e->systems.v[i].facts;
		for (size_t k = 0; k < f->n; k++) {
			if (text_ends(f->v[k].key, "hostname") ||
			    text_equal(f->v[k].key, "host.name") || text_ends(f->v[k].key, "fqdn"))
				add_secret(s, f->v[k].value, strlen(f->v[k].value), "...");
		}
	}
}

/* kinds: enum private_kind, what else of it may be private. */
static void hide(const struct secrets *s, char **text, unsigned kinds)
{
	struct buf b = BUF_INIT;

	for (const char *p = *text; p != NULL && *p != '\0';) {
		const char *with = NULL;
		size_t n = 0;

		for (size_t i = 0; n == 0 && i < s->v.n; i++) {
			if (text_starts(p, s->v.v[i].what)) {
				n = strlen(s->v.v[i].what);
				with = s->v.v[i].with;
			}
		}
		if (n == 0)
			n = private_at(*text, p, kinds, &with);
		if (n == 0) {
			buf_addch(&b, *p++);
			continue;
		}
		buf_addstr(&b, with);
		p += n;
	}
	mem_replace(text, buf_detach(&b));
}

static void hide_system(const struct secrets *s, struct exp_system *y)
{
	mem_replace(&y->target, shown_target(y->target));
	hide(s, &y->emulator, PRIVATE_FOLDER);
	for (size_t i = 0; i < y->facts.n; i++) {
		struct fact *f = &y->facts.v[i];
		/* elsewhere four numbers with points may be a version */
		bool addresses =
			text_starts(f->key, "effective.") || text_equal(f->key, "kernel.cmdline");

		if (is_name(f) && f->value[0] != '\0')
			mem_replace(&f->value, mem_strdup("..."));
		hide(s, &f->value, PRIVATE_FOLDER | (addresses ? PRIVATE_ADDRESS : 0));
		hide(s, &f->origin, PRIVATE_FOLDER);
	}
}

void report_hide(struct experiment *e)
{
	const unsigned typed = PRIVATE_ADDRESS | PRIVATE_HOST | PRIVATE_FOLDER;
	const unsigned said = PRIVATE_ADDRESS | PRIVATE_FOLDER;
	struct secrets s = {.v = {0}};

	collect(&s, e);
	hide(&s, &e->title, 0);
	hide(&s, &e->command, typed);
	hide(&s, &e->plan, typed);
	for (size_t i = 0; i < e->systems.n; i++)
		hide_system(&s, &e->systems.v[i]);
	for (size_t i = 0; i < e->tasks.n; i++)
		hide(&s, &e->tasks.v[i].params, typed);
	for (size_t i = 0; i < e->metrics.n; i++)
		hide(&s, &e->metrics.v[i].conditions, 0);
	for (size_t i = 0; i < e->executions.n; i++) {
		hide(&s, &e->executions.v[i].reason, said);
		hide(&s, &e->executions.v[i].disturbance, said);
	}
	for (size_t i = 0; i < e->notes.n; i++)
		hide(&s, &e->notes.v[i], said);
	for (size_t i = 0; i < s.v.n; i++) {
		free(s.v.v[i].what);
		free(s.v.v[i].with);
	}
	vec_release(&s.v);
}
