#include "report/hide.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

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

/* "user@host:port", and host and user by themselves. */
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
	if (at != NULL) {
		/* a user is a word that may mean something else: only where it stands as one */
		char *user = mem_strndup(login, (size_t)(at - login) + 1);
		add_secret(s, user, strlen(user), "...@");
		free(user);
	}
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

/* Facts that name the machine or somebody. */
static bool is_name(const char *key)
{
	static const char *const last[] = {"host", "hostname", "fqdn", "user", "address"};
	const char *point = strrchr(key, '.');

	/* as whom lampduel lets a server run: root or www-data, and nobody's secret */
	if (text_starts(key, "setting."))
		return false;
	for (size_t i = 0; point != NULL && i < sizeof(last) / sizeof(last[0]); i++) {
		if (strcasecmp(point + 1, last[i]) == 0)
			return true;
	}
	return false;
}

static void collect(struct secrets *s, const struct experiment *e)
{
	for (size_t i = 0; i < e->systems.n; i++)
		add_target(s, e->systems.v[i].target);
	for (size_t i = 0; i < e->systems.n; i++) {
		const struct factset *f = &e->systems.v[i].facts;
		for (size_t k = 0; k < f->n; k++) {
			if (text_ends(f->v[k].key, "hostname") || text_ends(f->v[k].key, "fqdn"))
				add_secret(s, f->v[k].value, strlen(f->v[k].value), "...");
		}
	}
}

static bool ends_word(char c)
{
	return c == '\0' || strchr("/ \t\n\"'\\:;,)]>", c) != NULL;
}

/* "/home/NAME" and the host of "scheme://[login@]host": how many bytes of p, and what for them. */
static size_t address_at(const char *p, const char **with)
{
	static const char home[] = "/home/";

	if (text_starts(p, home)) {
		size_t n = strlen(home);
		while (!ends_word(p[n]))
			n++;
		*with = "/home/...";
		return n > strlen(home) ? n : 0;
	}
	if (text_starts(p, "://")) {
		size_t n = 3;
		bool ipv6 = p[n] == '[';
		while (p[n] != '\0' && strchr("/ \t\n\"'\\;,)>", p[n]) == NULL &&
		       (!ends_word(p[n]) || p[n] == ':' || (ipv6 && p[n] == ']')))
			n++;
		*with = "://...";
		bool local = text_starts(p + 3, "localhost") || text_starts(p + 3, "127.");
		return n > 3 && !local ? n : 0;
	}
	return 0;
}

static void hide(const struct secrets *s, char **text)
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
			n = address_at(p, &with);
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
	hide(s, &y->emulator);
	for (size_t i = 0; i < y->facts.n; i++) {
		struct fact *f = &y->facts.v[i];

		if (is_name(f->key) && f->value[0] != '\0')
			mem_replace(&f->value, mem_strdup("..."));
		hide(s, &f->value);
		hide(s, &f->origin);
	}
}

void report_hide(struct experiment *e)
{
	struct secrets s = {.v = {0}};

	collect(&s, e);
	hide(&s, &e->title);
	hide(&s, &e->command);
	hide(&s, &e->plan);
	for (size_t i = 0; i < e->systems.n; i++)
		hide_system(&s, &e->systems.v[i]);
	for (size_t i = 0; i < e->tasks.n; i++)
		hide(&s, &e->tasks.v[i].params);
	for (size_t i = 0; i < e->executions.n; i++) {
		hide(&s, &e->executions.v[i].reason);
		hide(&s, &e->executions.v[i].disturbance);
	}
	for (size_t i = 0; i < e->notes.n; i++)
		hide(&s, &e->notes.v[i]);
	for (size_t i = 0; i < s.v.n; i++) {
		free(s.v.v[i].what);
		free(s.v.v[i].with);
	}
	vec_release(&s.v);
}
