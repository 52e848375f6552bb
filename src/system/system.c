#include "system/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

const char *system_target_rest(const char *target)
{
	const char *colon = strchr(target, ':');

	return colon == NULL ? "" : colon + 1;
}

struct step step_below(const struct step *step, const char *what)
{
	struct step s = *step;

	s.name = mem_printf("%s/%s", step->name, what);
	return s;
}

void step_release(struct step *s)
{
	free((char *)(uintptr_t)s->name);
	s->name = NULL;
}

static bool kind_matches(const struct system_kind *k, const char *target)
{
	size_t n = strcspn(target, ":");

	return strlen(k->scheme) == n && strncmp(k->scheme, target, n) == 0;
}

const struct system_kind *system_kind_of(const char *target, struct err *err)
{
	struct buf kinds = BUF_INIT;
	char *shown = NULL;

	for (size_t i = 0; i < system_kind_count(); i++) {
		const struct system_kind *k = system_kind_at(i);

		if (kind_matches(k, target)) {
			buf_release(&kinds);
			return k;
		}
		buf_addf(&kinds, "%s%s", i == 0 ? "" : ", ", k->scheme);
	}
	shown = text_escaped(target);
	(void)err_code(err, ERR_USAGE, "no such target: %s (a target begins with one of: %s)",
		       shown, buf_str(&kinds));
	free(shown);
	buf_release(&kinds);
	return NULL;
}

static void system_free(struct system *s)
{
	free(s->name);
	free(s->target);
	free(s->run_dir_inside);
	for (size_t i = 0; i < SYSTEM_SHARES_MAX; i++) {
		free(s->share_asked[i]);
		free(s->share_inside[i]);
	}
	free(s->emulator);
	free(s->emulated_cpu);
	free(s->arch);
	free(s->root_host);
	factset_release(&s->facts);
	free(s);
}

int system_prepare(const struct system_options *o, struct err *err)
{
	const struct system_kind *kind = system_kind_of(o->target, err);

	if (kind == NULL)
		return err->code;
	return kind->prepare == NULL ? 0 : kind->prepare(o, err);
}

struct system *system_open(const struct system_options *o, struct err *err)
{
	const struct system_kind *k = system_kind_of(o->target, err);

	if (k == NULL || (k->check != NULL && k->check(o->target, err) != 0))
		return NULL;
	struct system *s = mem_alloc(sizeof(*s));
	s->kind = k;
	s->name = mem_strdup(o->name);
	s->target = mem_strdup(o->target);
	s->clock = o->clock;
	s->stop = o->stop;
	for (size_t i = 0; i < o->n_shares; i++)
		s->share_asked[i] = mem_strdup(o->shares[i].inside_path);
	if (k->open(s, o, err) != 0) {
		(void)err_wrap(err, "%s", o->name);
		system_free(s);
		return NULL;
	}
	return s;
}

void system_close(struct system *s)
{
	if (s == NULL)
		return;
	s->kind->close(s);
	system_free(s);
}

const char *system_share_inside(const struct system *s, const char *inside_path)
{
	for (size_t i = 0; i < SYSTEM_SHARES_MAX; i++) {
		if (text_equal(s->share_asked[i], inside_path) && inside_path != NULL)
			return s->share_inside[i] != NULL ? s->share_inside[i] : s->share_asked[i];
	}
	return NULL;
}

char *system_emulated_by(const struct system *s)
{
	if (!s->emulated)
		return NULL;
	return mem_printf("%s%s%s", s->emulator == NULL ? "an emulator" : s->emulator,
			  s->emulated_cpu == NULL ? "" : ", -cpu ",
			  s->emulated_cpu == NULL ? "" : s->emulated_cpu);
}

int system_exec(struct system *s, const struct step *step, const struct exec_request *q,
		struct outcome *out, struct err *err)
{
	return s->kind->exec(s, step, q, out, err);
}

int system_spawn(struct system *s, const struct step *step, const struct exec_request *q,
		 const char *log, int *id, struct err *err)
{
	return s->kind->spawn(s, step, q, log, id, err);
}

bool system_alive(struct system *s, int id, const char **how)
{
	return s->kind->alive(s, id, how);
}

int system_stop(struct system *s, const struct step *step, int id, int64_t grace_ns,
		struct err *err)
{
	return s->kind->stop(s, step, id, grace_ns, err);
}

int system_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
		 struct outcome *out, struct err *err)
{
	return s->kind->fetch(s, step, q, out, err);
}

int system_put(struct system *s, const struct step *step, const char *path, const void *data,
	       size_t len, struct err *err)
{
	return s->kind->put(s, step, path, data, len, err);
}

int system_get(struct system *s, const struct step *step, const char *path, size_t max,
	       struct buf *out, struct err *err)
{
	return s->kind->get(s, step, path, max, out, err);
}

/* Works wherever there is a dd, BusyBox's included. */
static int part_by_dd(struct system *s, const struct step *step, const char *path, uint64_t at,
		      size_t size, struct buf *out, struct err *err)
{
	enum { BLOCK = 512 };
	struct strvec argv = STRVEC_INIT;
	struct outcome o = {0};
	size_t before = (size_t)(at % BLOCK);
	size_t blocks = (before + size + BLOCK - 1) / BLOCK;
	struct exec_request q = {
		.argv = &argv, .timeout_ns = 60 * NS_PER_S, .output_max = blocks * BLOCK};

	strvec_push(&argv, "dd");
	strvec_pushf(&argv, "if=%s", path);
	strvec_push(&argv, "bs=512");
	strvec_pushf(&argv, "skip=%llu", (unsigned long long)(at / BLOCK));
	strvec_pushf(&argv, "count=%zu", blocks);
	int rc = system_exec(s, step, &q, &o, err);
	if (rc == 0 && o.status != OUTCOME_OK)
		rc = err_set(err, "%s cannot be read: %s", path, o.reason);
	if (rc == 0 && o.out.len > before)
		buf_add(out, o.out.data + before,
			o.out.len - before < size ? o.out.len - before : size);
	outcome_release(&o);
	strvec_release(&argv);
	return rc;
}

int system_get_part(struct system *s, const struct step *step, const char *path, uint64_t at,
		    size_t size, struct buf *out, struct err *err)
{
	if (s->kind->get_part != NULL)
		return s->kind->get_part(s, step, path, at, size, out, err);
	return part_by_dd(s, step, path, at, size, out, err);
}

int system_observe(struct system *s, const struct step *step, struct buf *out, struct err *err)
{
	return s->kind->observe == NULL ? 0 : s->kind->observe(s, step, out, err);
}

int system_place(struct system *s, enum placement p, struct err *err)
{
	return s->kind->place(s, p, err);
}

int system_free_port(struct system *s, const struct step *step, int *port, struct err *err)
{
	return s->kind->free_port(s, step, port, err);
}
