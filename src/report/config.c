#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "facts/difference.h"
#include "report/config.h"
#include "report/model_parts.h"

/* Rows beyond the reference's, for what differs and is most likely to matter. */
enum { DIFFERENCES_MAX = 12, ADVICE_MAX = 6 };

static char **strings(size_t n)
{
	return mem_array(n, sizeof(char *));
}

static bool all_equal(char *const *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (!text_equal(v[i], v[0]))
			return false;
	}
	return true;
}

static char *plain(const struct exp_system *s, const char *key)
{
	const char *value = factset_get(&s->facts, key);

	return value == NULL ? mem_strdup("") : text_escaped(value);
}

static char *kernel(const struct exp_system *s, const char *key)
{
	char *release = plain(s, key);

	if (release[0] != '\0' && text_equal(factset_get(&s->facts, "kernel.shared"), "yes"))
		mem_replace(&release, mem_printf("%s (the host's)", release));
	return release;
}

static char *storage(const struct exp_system *s, const char *key)
{
	char *device = plain(s, key);
	char *type = plain(s, "storage.filesystem");

	if (device[0] != '\0' && type[0] != '\0')
		mem_replace(&device, mem_printf("%s (%s)", device, type));
	else if (type[0] != '\0')
		mem_replace(&device, mem_strdup(type));
	free(type);
	return device;
}

static char *execution(const struct exp_system *s, const char *key)
{
	(void)key;
	if (!s->emulated && text_equal(s->target, "file")) /* pasted: nobody says */
		return mem_strdup("");
	if (!s->emulated)
		return mem_strdup("native");
	char *by = text_escaped(s->emulator);
	char *shown = by[0] == '\0' ? mem_strdup("emulated") : mem_printf("emulated by %s", by);
	free(by);
	return shown;
}

/* Where an unpacked installation came from: "bookworm main, 2026-07-11". */
static char *packages(const struct exp_system *s, const char *key)
{
	char *sources = plain(s, key);
	char *components = plain(s, "root.components");
	char *date = plain(s, "root.release_date");

	if (sources[0] != '\0')
		mem_replace(&sources, mem_printf("%s %s, %.10s", sources, components, date));
	free(components);
	free(date);
	return sources;
}

const struct config_row config_rows[] = {
	{"Apache", "apache.version", plain},
	{"MariaDB", "mariadb.version", plain},
	{"PHP", "php.version", plain},
	{"OpenSSL", "openssl.version", plain},
	{"Kernel", "kernel.release", kernel},
	{"Storage", "storage.device", storage},
	{"CPU", "cpu.model", plain},
	{"Execution", NULL, execution},
	{"WordPress", "wordpress.version", plain},
	{"System", "os.name", plain},
	{"Architecture", "arch", plain},
	{"Float ABI", "abi.float", plain},
	{"Packages", "root.sources", packages},
	{"Measured on", "placement.measured", plain},
	{"Recorded from", "recorded.target", plain},
	{NULL, NULL, NULL},
};

static void add_row(struct report_model *m, char *label, char **values, size_t n)
{
	struct report_fact *f = vec_add(&m->facts);

	f->label = label;
	f->values = values;
	f->differs = !all_equal(values, n);
}

static void add_facts(struct report_model *m, const struct experiment *e)
{
	for (const struct config_row *r = config_rows; r->label != NULL; r++) {
		char **values = strings(e->systems.n);
		bool any = false;

		for (size_t i = 0; i < e->systems.n; i++) {
			values[i] = r->value(&e->systems.v[i], r->key);
			any = any || values[i][0] != '\0';
		}
		if (any) {
			add_row(m, mem_strdup(r->label), values, e->systems.n);
			continue;
		}
		for (size_t i = 0; i < e->systems.n; i++)
			free(values[i]);
		free(values);
	}
}

static const char setting_prefix[] = "setting.";

char *config_setting(const char *rest)
{
	size_t n = strcspn(rest, ".");
	char *program = mem_strndup(rest, n);
	const char *pretty = view_program(program);
	char *name = mem_printf("%s%s%s", pretty == NULL ? program : pretty,
				rest[n] == '\0' ? "" : " ", rest[n] == '\0' ? "" : rest + n + 1);

	free(program);
	mem_replace(&name, text_escaped(name));
	return name;
}

static const struct fact *fact_of(const struct exp_system *s, const char *key)
{
	for (size_t i = 0; i < s->facts.n; i++) {
		if (text_equal(s->facts.v[i].key, key))
			return &s->facts.v[i];
	}
	return NULL;
}

static bool seen_before(const struct experiment *e, size_t system, const char *key)
{
	for (size_t i = 0; i < system; i++) {
		if (fact_of(&e->systems.v[i], key) != NULL)
			return true;
	}
	return false;
}

static void add_setting(struct report_model *m, const struct experiment *e, const char *key)
{
	struct report_setting *s = vec_add(&m->settings);

	s->name = config_setting(key + strlen(setting_prefix));
	s->reason = mem_strdup("");
	s->values = strings(e->systems.n);
	for (size_t i = 0; i < e->systems.n; i++) {
		const struct fact *f = fact_of(&e->systems.v[i], key);

		s->values[i] = f == NULL ? mem_strdup("") : text_escaped(f->value);
		if (f != NULL && s->reason[0] == '\0')
			mem_replace(&s->reason, text_escaped(f->origin));
	}
	s->differs = !all_equal(s->values, e->systems.n);
}

/*
 * What other rows say already, or tables of their own. Packages are many, and those that matter
 * have a version of their own; a command line may hold anything.
 */
static bool is_told(const char *key)
{
	static const char *const starts[] = {setting_prefix,   "cpu.emulat", "storage.filesystem",
					     "kernel.cmdline", "clock.",     "package."};

	for (const struct config_row *r = config_rows; r->label != NULL; r++) {
		if (text_equal(r->key, key))
			return true;
	}
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (text_starts(key, starts[i]))
			return true;
	}
	return false;
}

static char *difference_label(const char *key)
{
	static const char effective[] = "effective.";

	return text_starts(key, effective) ? config_setting(key + strlen(effective))
					   : text_escaped(key);
}

/* A row of one difference for all systems; the baseline beside the candidate it was found with. */
static void add_difference(struct report_model *m, const struct experiment *e, const char *key,
			   size_t candidate, size_t more)
{
	size_t n = e->systems.n;
	char **values = strings(n);
	char *label = difference_label(key);

	for (size_t i = 0; i < n; i++) {
		size_t beside = i == m->baseline ? candidate : m->baseline;
		const char *mine = factset_get(&e->systems.v[i].facts, key);
		const char *other = factset_get(&e->systems.v[beside].facts, key);
		char *shown = mine == NULL ? mem_strdup("")
					   : differences_shown(mine, other == NULL ? "" : other);
		values[i] = text_escaped(shown);
		free(shown);
	}
	if (more > 0)
		mem_replace(&label, mem_printf("%s and %zu more", label, more));
	add_row(m, label, values, n);
}

static bool is_among(const struct strvec *v, const char *text)
{
	for (size_t i = 0; i < v->n; i++) {
		if (text_equal(v->v[i], text))
			return true;
	}
	return false;
}

/* How many later rows say the same: a dozen libraries of one port have one cause. */
static size_t alike(const struct differences *d, size_t at, struct strvec *done)
{
	const struct difference *x = &d->rows.v[at];
	size_t more = 0;

	if (!text_starts(x->key, "elf."))
		return 0;
	for (size_t i = at + 1; i < d->rows.n; i++) {
		const struct difference *y = &d->rows.v[i];
		if (y->kind != x->kind || !text_equal(y->a, x->a) || !text_equal(y->b, x->b))
			continue;
		strvec_push(done, y->key);
		more++;
	}
	return more;
}

static void note_groups(struct report_model *m, const struct differences *d, const char *names)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < d->groups.n; i++) {
		const struct difference_group *g = &d->groups.v[i];
		if (g->differ > 0)
			buf_addf(&b, "%s%s %zu equal, %zu differ", b.len == 0 ? "" : "; ", g->group,
				 g->equal, g->differ);
	}
	model_note(m, "Of what is known of %s: %s.", names, buf_str(&b));
	buf_clear(&b);
	for (size_t i = 0; i < d->advice.n && i < ADVICE_MAX; i++)
		buf_addf(&b, "%s%s", i == 0 ? "" : "; ", d->advice.v[i]);
	if (b.len > 0)
		model_note(m, "To make %s as alike as can be, most important first: %s.", names,
			   buf_str(&b));
	buf_release(&b);
}

/* What differs between the baseline and a candidate, most suspect first, below the rows above. */
static void add_differences(struct report_model *m, const struct experiment *e, size_t candidate,
			    struct strvec *done, size_t *room)
{
	struct differences d;
	size_t left = 0;

	differences_make(&e->systems.v[m->baseline].facts, &e->systems.v[candidate].facts, &d);
	for (size_t i = 0; i < d.rows.n; i++) {
		const char *key = d.rows.v[i].key;

		if (is_told(key) || is_among(done, key))
			continue;
		if (*room == 0) {
			left++;
			continue;
		}
		strvec_push(done, key);
		(*room)--;
		add_difference(m, e, key, candidate, alike(&d, i, done));
	}
	char *names = mem_printf("%s and %s", m->systems.v[m->baseline].name,
				 m->systems.v[candidate].name);
	if (d.rows.n > 0)
		note_groups(m, &d, names);
	if (left > 0)
		model_note(m,
			   "%zu differences of %s are left out of the table, being less likely to "
			   "matter; lampduel differences shows all.",
			   left, names);
	free(names);
	differences_release(&d);
}

void model_config(struct report_model *m, const struct experiment *e)
{
	add_facts(m, e);
	for (size_t i = 0; i < e->systems.n; i++) {
		const struct factset *facts = &e->systems.v[i].facts;

		for (size_t f = 0; f < facts->n; f++) {
			const char *key = facts->v[f].key;
			if (text_starts(key, setting_prefix) && !seen_before(e, i, key))
				add_setting(m, e, key);
		}
	}
}

void model_differences(struct report_model *m, const struct experiment *e)
{
	struct strvec done = STRVEC_INIT;
	size_t room = DIFFERENCES_MAX;

	for (size_t i = 0; i < e->systems.n; i++) {
		if (i != m->baseline)
			add_differences(m, e, i, &done, &room);
	}
	strvec_release(&done);
}
