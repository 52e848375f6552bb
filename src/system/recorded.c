#include "system/recorded.h"
#include "system/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "system/recording.h"

struct service {
	int64_t id, asked;
};

struct recorded {
	struct recording *recording;
	struct recorded_system *system;
	size_t next; /* the first call that is not used yet: they mostly come in their order */
	VEC(struct service) services;
};

/* Splits at the last '#', unless all of it is a file. Both are new strings; *name may be NULL. */
static void split_target(const char *target, char **path, char **name)
{
	const char *rest = system_target_rest(target);
	const char *hash = strrchr(rest, '#');

	*name = NULL;
	if (hash == NULL || fs_exists(rest)) {
		*path = mem_strdup(rest);
		return;
	}
	*path = mem_strndup(rest, (size_t)(hash - rest));
	*name = mem_strdup(hash + 1);
}

static int recorded_check(const char *target, struct err *err)
{
	const char *rest = system_target_rest(target);

	if (rest[0] == '\0' || rest[0] == '#')
		return err_code(err, ERR_USAGE,
				"recorded: wants a file, as in recorded:run.jsonl or "
				"recorded:run.jsonl#soft");
	return 0;
}

static struct recorded_system *choose(const struct recording *r, const char *path,
				      const char *wanted, const char *own, struct err *err)
{
	struct buf names = BUF_INIT;
	const char *name = wanted != NULL ? wanted : own;
	struct recorded_system *only = r->systems.n == 1 ? r->systems.v[0] : NULL;

	for (size_t i = 0; i < r->systems.n; i++) {
		if (text_equal(r->systems.v[i]->name, name)) {
			buf_release(&names);
			return r->systems.v[i];
		}
		buf_addf(&names, "%s%s", i == 0 ? "" : ", ", r->systems.v[i]->name);
	}
	if (wanted == NULL && only != NULL) {
		buf_release(&names);
		return only;
	}
	(void)err_code(err, ERR_USAGE,
		       "%s records no system \"%s\"; it has %s: write recorded:%s#NAME", path, name,
		       buf_str(&names), path);
	buf_release(&names);
	return NULL;
}

static void describe(struct system *s, const struct recorded_system *from, const char *path)
{
	s->run_dir_inside =
		mem_strdup(from->run_dir_inside == NULL ? "/run/lampduel" : from->run_dir_inside);
	s->is_recorded = true;
	s->is_rootfs = from->is_rootfs;
	s->emulated = from->emulated;
	s->emulator = mem_strdup(from->emulator);
	s->emulated_cpu = mem_strdup(from->emulated_cpu);
	s->arch = mem_strdup(from->arch);
	for (size_t i = 0; i < 2; i++)
		s->placement_text[i] =
			from->placement_text[i] == NULL ? "not known" : from->placement_text[i];
	for (size_t i = 0; i < SYSTEM_SHARES_MAX; i++) {
		for (size_t k = 0; k < SYSTEM_SHARES_MAX; k++) {
			if (s->share_asked[i] != NULL &&
			    text_equal(s->share_asked[i], from->share_asked[k]))
				mem_replace(&s->share_inside[i], mem_strdup(from->share_inside[k]));
		}
	}
	factset_copy(&s->facts, &from->facts);
	factset_set(&s->facts, "recorded.target", from->target == NULL ? "" : from->target, path);
}

static int recorded_open(struct system *s, const struct system_options *o, struct err *err)
{
	struct recorded *d = mem_alloc(sizeof(*d));
	char *path = NULL;
	char *name = NULL;

	split_target(o->target, &path, &name);
	d->recording = recording_load(path, err);
	if (d->recording != NULL)
		d->system = choose(d->recording, path, name, o->name, err);
	if (d->system != NULL) {
		describe(s, d->system, path);
		s->impl = d;
	} else {
		recording_free(d->recording);
		free(d);
	}
	free(path);
	free(name);
	return s->impl == NULL ? err->code : 0;
}

static bool matches(const struct recorded_call *c, enum recorded_action action,
		    const struct step *step)
{
	return !c->used && c->action == action && c->round == step->round &&
	       c->attempt == step->attempt && text_equal(c->step, step->name);
}

static struct recorded_call *find(struct system *s, enum recorded_action action,
				  const struct step *step)
{
	struct recorded *d = s->impl;

	while (d->next < d->system->calls.n && d->system->calls.v[d->next].used)
		d->next++;
	for (size_t i = d->next; i < d->system->calls.n; i++) {
		struct recorded_call *c = &d->system->calls.v[i];

		if (matches(c, action, step)) {
			c->used = true;
			clock_advance_to(s->clock, c->at_ns);
			return c;
		}
	}
	return NULL;
}

/* The one line for what the recording does not answer. */
static char *missing(const struct system *s, enum recorded_action action, const struct step *step)
{
	return mem_printf("the recording has no (further) %s of %s: step %s, round %d, attempt %d",
			  recorded_action_name(action), s->name, step->name, step->round,
			  step->attempt);
}

/* A recorded call, or NULL with err set when it failed or is missing; *rc is what to return. */
static struct recorded_call *answer(struct system *s, enum recorded_action action,
				    const struct step *step, int *rc, struct err *err)
{
	struct recorded_call *c = find(s, action, step);

	*rc = 0;
	if (c == NULL) {
		char *text = missing(s, action, step);
		*rc = err_set(err, "%s", text);
		free(text);
	} else if (c->code != 0) {
		*rc = err_code(err, c->code, "%s", c->text);
		c = NULL;
	}
	return c;
}

static void copy_bytes(const struct recorded *d, size_t index, struct buf *to)
{
	const struct bytes_entry *e = bytes_at(&d->recording->bytes, index);

	buf_add(to, e->data, e->len);
}

/* exec and fetch */
static int replay_outcome(struct system *s, enum recorded_action action, const struct step *step,
			  struct outcome *out, struct err *err)
{
	const struct recorded_call *c = find(s, action, step);

	*out = (struct outcome){.status = OUTCOME_OK};
	if (c == NULL) {
		char *text = missing(s, action, step);
		outcome_fail(out, OUTCOME_SKIPPED, "%s", text);
		out->start_ns = out->end_ns = clock_now_ns(s->clock);
		free(text);
		return 0;
	}
	*out = c->outcome;
	out->reason = mem_strdup(c->outcome.reason);
	out->out = out->err = out->headers = (struct buf)BUF_INIT;
	copy_bytes(s->impl, c->out, &out->out);
	copy_bytes(s->impl, c->err, &out->err);
	copy_bytes(s->impl, c->headers, &out->headers);
	return c->code == 0 ? 0 : err_code(err, c->code, "%s", c->text);
}

static int recorded_exec(struct system *s, const struct step *step, const struct exec_request *q,
			 struct outcome *out, struct err *err)
{
	(void)q;
	return replay_outcome(s, RECORDED_EXEC, step, out, err);
}

static int recorded_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
			  struct outcome *out, struct err *err)
{
	(void)q;
	return replay_outcome(s, RECORDED_FETCH, step, out, err);
}

static int recorded_spawn(struct system *s, const struct step *step, const struct exec_request *q,
			  const char *log, int *id, struct err *err)
{
	struct recorded *d = s->impl;
	int rc = 0;
	const struct recorded_call *c = answer(s, RECORDED_SPAWN, step, &rc, err);

	(void)q;
	(void)log;
	if (c != NULL) {
		vec_add(&d->services)->id = c->number;
		*id = (int)c->number;
	}
	return rc;
}

static int64_t ask(struct recorded *d, int id)
{
	for (size_t i = 0; i < d->services.n; i++) {
		if (d->services.v[i].id == id)
			return ++d->services.v[i].asked;
	}
	return 0;
}

static bool recorded_alive(struct system *s, int id, const char **how)
{
	struct recorded *d = s->impl;
	int64_t asked = ask(d, id);

	for (size_t i = 0; i < d->system->calls.n; i++) {
		struct recorded_call *c = &d->system->calls.v[i];

		if (c->action != RECORDED_ALIVE || c->number != id || asked < c->asked)
			continue;
		c->used = true;
		clock_advance_to(s->clock, c->at_ns);
		if (how != NULL)
			*how = c->text;
		return false;
	}
	return true;
}

static int recorded_stop(struct system *s, const struct step *step, int id, int64_t grace_ns,
			 struct err *err)
{
	int rc = 0;

	(void)id;
	(void)grace_ns;
	(void)answer(s, RECORDED_STOP, step, &rc, err);
	return rc;
}

static int recorded_put(struct system *s, const struct step *step, const char *path,
			const void *data, size_t len, struct err *err)
{
	int rc = 0;

	(void)path;
	(void)data;
	(void)len;
	(void)answer(s, RECORDED_PUT, step, &rc, err);
	return rc;
}

static int recorded_get(struct system *s, const struct step *step, const char *path, size_t max,
			struct buf *out, struct err *err)
{
	int rc = 0;
	const struct recorded_call *c = answer(s, RECORDED_GET, step, &rc, err);

	(void)path;
	(void)max;
	if (c != NULL)
		copy_bytes(s->impl, c->out, out);
	return rc;
}

static int recorded_get_part(struct system *s, const struct step *step, const char *path,
			     uint64_t at, size_t size, struct buf *out, struct err *err)
{
	(void)at;
	return recorded_get(s, step, path, size, out, err);
}

/* What is not recorded is not known. */
static int recorded_observe(struct system *s, const struct step *step, struct buf *out,
			    struct err *err)
{
	const struct recorded_call *c = find(s, RECORDED_OBSERVE, step);

	if (c == NULL)
		return 0;
	if (c->code != 0)
		return err_code(err, c->code, "%s", c->text);
	copy_bytes(s->impl, c->out, out);
	return 0;
}

/* Placing has no step of its own: what is not recorded went well. */
static int recorded_place(struct system *s, enum placement p, struct err *err)
{
	const struct step step = {p == PLACE_ALL ? "all" : "measured", 0, 1};
	const struct recorded_call *c = find(s, RECORDED_PLACE, &step);

	return c == NULL || c->code == 0 ? 0 : err_code(err, c->code, "%s", c->text);
}

static int recorded_free_port(struct system *s, const struct step *step, int *port, struct err *err)
{
	int rc = 0;
	const struct recorded_call *c = answer(s, RECORDED_FREE_PORT, step, &rc, err);

	if (c != NULL)
		*port = (int)c->number;
	return rc;
}

static void recorded_close(struct system *s)
{
	struct recorded *d = s->impl;

	recording_free(d->recording);
	vec_release(&d->services);
	free(d);
}

int recorded_start_clock(const char *target, struct clock *c, struct err *err)
{
	char *path = NULL;
	char *name = NULL;

	split_target(target, &path, &name);
	struct recording *r = recording_load(path, err);
	int rc = r == NULL ? err->code : 0;
	if (rc == 0)
		clock_init_virtual(c, r->start_ns, r->unix_ns);
	recording_free(r);
	free(path);
	free(name);
	return rc;
}

const struct system_kind recorded_kind = {
	.scheme = "recorded",
	.form = "recorded:FILE[#NAME]",
	.summary = "the answers of an earlier run (run --record)",
	.start_clock = recorded_start_clock,
	.check = recorded_check,
	.open = recorded_open,
	.exec = recorded_exec,
	.spawn = recorded_spawn,
	.alive = recorded_alive,
	.stop = recorded_stop,
	.fetch = recorded_fetch,
	.put = recorded_put,
	.get = recorded_get,
	.get_part = recorded_get_part,
	.observe = recorded_observe,
	.place = recorded_place,
	.free_port = recorded_free_port,
	.close = recorded_close,
};
