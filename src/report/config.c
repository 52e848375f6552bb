#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "report/model_parts.h"

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

/* The value of a row for one system as a new, escaped string; "" when it is not known. */
typedef char *value_fn(const struct exp_system *s, const char *key);

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

/* The reference's rows first, in its order. */
static const struct {
	const char *label, *key;
	value_fn *value;
} rows[] = {
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
};

static void add_facts(struct report_model *m, const struct experiment *e)
{
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		char **values = strings(e->systems.n);
		bool any = false;

		for (size_t i = 0; i < e->systems.n; i++) {
			values[i] = rows[r].value(&e->systems.v[i], rows[r].key);
			any = any || values[i][0] != '\0';
		}
		if (!any) {
			for (size_t i = 0; i < e->systems.n; i++)
				free(values[i]);
			free(values);
			continue;
		}
		struct report_fact *f = vec_add(&m->facts);
		f->label = mem_strdup(rows[r].label);
		f->values = values;
		f->differs = !all_equal(values, e->systems.n);
	}
}

static const char setting_prefix[] = "setting.";

/* "setting.mariadb.key_buffer_size" to "MariaDB key_buffer_size". */
static char *setting_name(const char *key)
{
	const char *rest = key + strlen(setting_prefix);
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

	s->name = setting_name(key);
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
