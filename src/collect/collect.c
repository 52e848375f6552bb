#include "collect/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "collect/internal.h"

enum { FILE_MAX = 16 << 20 };

#define ASK_LIMIT_NS (60 * NS_PER_S)

bool collect_system_is_lost(int rc)
{
	return rc == ERR_GONE || rc == ERR_INTERRUPTED;
}

int collect_read(struct collector *c, const char *path, struct buf *b, struct err *err)
{
	struct step step = {.name = path, .round = 0, .attempt = 1};
	struct err e = ERR_INIT;

	buf_clear(b);
	int rc = system_get(c->s, &step, path, FILE_MAX, b, &e);
	if (collect_system_is_lost(rc)) {
		if (err != NULL)
			*err = e;
		return rc;
	}
	if (rc != 0)
		buf_clear(b);
	buf_addstr(b, "");
	return 0;
}

int collect_ask(struct collector *c, const char *name, const char *const *argv,
		const struct strvec *env, struct buf *b, struct err *err)
{
	char *step_name = mem_printf("facts/%s", name);
	struct step step = {.name = step_name, .round = 0, .attempt = 1};
	struct strvec v = STRVEC_INIT;
	struct outcome out = {0};
	struct exec_request q = {.argv = &v, .env = env, .timeout_ns = ASK_LIMIT_NS};

	buf_clear(b);
	for (; *argv != NULL; argv++)
		strvec_push(&v, *argv);
	int rc = system_exec(c->s, &step, &q, &out, err);
	if (rc == 0 && out.status == OUTCOME_OK) {
		const struct buf *said = out.out.len > 0 ? &out.out : &out.err;
		buf_add(b, buf_str(said), said->len);
	}
	buf_addstr(b, "");
	outcome_release(&out);
	strvec_release(&v);
	free(step_name);
	return rc;
}

void collect_set_owned(struct factset *f, const char *key, char *value, const char *origin)
{
	if (value != NULL)
		factset_set(f, key, value, origin);
	free(value);
}

static void collect_programs(const struct stack_programs *p, struct factset *f)
{
	const struct {
		const char *key, *value, *origin;
	} rows[] = {
		{"apache.version", p->apache_version, p->apache},
		{"mariadb.version", p->mariadb_version, p->mariadbd},
		{"php.version", p->php_version, p->php_cli},
		{"openssl.version", p->openssl_version, p->openssl},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].value != NULL)
			factset_set(f, rows[i].key, rows[i].value, rows[i].origin);
	}
}

/* What a kind of system knows of itself, it said itself, and how it knows. */
static void set_unless_known(struct factset *f, const char *key, const char *value)
{
	if (value != NULL && factset_get(f, key) == NULL)
		factset_set(f, key, value, "");
}

static void collect_emulation(const struct system *s, struct factset *f)
{
	char *by = system_emulated_by(s);

	set_unless_known(f, "cpu.emulated", s->emulated ? "yes" : "no");
	set_unless_known(f, "cpu.emulator", by);
	set_unless_known(f, "arch", s->arch);
	set_unless_known(f, "kernel.shared", s->is_rootfs ? "yes" : NULL);
	set_unless_known(f, "placement.measured", s->placement_text[PLACE_MEASURED]);
	free(by);
}

int collect_facts(struct system *s, const struct stack_programs *p, enum collect_depth depth,
		  struct factset *f, struct err *err)
{
	struct collector c = {s, p, f};

	factset_copy(f, &s->facts);
	collect_emulation(s, f);
	collect_programs(p, f);
	int rc = collect_machine(&c, err);
	if (rc == 0)
		rc = collect_packages(&c, err);
	if (rc == 0 && depth == COLLECT_ALL)
		rc = collect_storage(&c, err);
	if (rc == 0 && depth == COLLECT_ALL)
		rc = collect_elf(&c, err);
	if (rc == 0 && depth == COLLECT_ALL)
		rc = collect_settings(&c, err);
	return rc;
}

int collect_machine_facts(struct system *s, struct factset *f, struct err *err)
{
	const struct stack_programs none = {0};
	struct collector c = {s, &none, f};

	factset_copy(f, &s->facts);
	int rc = collect_machine(&c, err);
	return rc != 0 ? rc : collect_storage(&c, err);
}
