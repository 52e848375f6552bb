#include "system/recorder.h"

#include <stdlib.h>

#include "base/mem.h"

struct service {
	int inner; /* the wrapped kind's number */
	int64_t asked;
	bool ended_noted;
};

/*
 * A wrapped kind may give a number again after a stop; a recording may not, so services are
 * numbered here, from 1 in the order they were started.
 */
struct recorder {
	const struct system_kind *kind; /* the wrapped one, and its own data */
	void *impl;
	struct recording *recording;
	struct recorded_system *system;
	VEC(struct service) services;
};

static const struct system_kind recorder_kind;

/* While the wrapped kind works the system is its own again. */
static struct recorder *lift(struct system *s)
{
	struct recorder *r = s->impl;

	s->kind = r->kind;
	s->impl = r->impl;
	return r;
}

static void lower(struct system *s, struct recorder *r)
{
	s->kind = &recorder_kind;
	s->impl = r;
}

static struct recorded_call *note(struct system *s, struct recorder *r, enum recorded_action action,
				  const struct step *step, int code, const struct err *err)
{
	struct recorded_call *c = vec_add(&r->system->calls);

	c->action = action;
	c->step = mem_strdup(step->name);
	c->round = step->round;
	c->attempt = step->attempt;
	c->at_ns = clock_now_ns(s->clock);
	c->code = code;
	if (code != 0)
		c->text = mem_strdup(err == NULL ? "" : err->msg);
	return c;
}

/* Systems are prepared in threads of their own; the bytes are all that they share. */
static size_t keep(struct recorder *r, const char *data, size_t len)
{
	(void)pthread_mutex_lock(&r->recording->lock);
	size_t index = bytes_add(&r->recording->bytes, data, len);
	(void)pthread_mutex_unlock(&r->recording->lock);
	return index;
}

static void note_outcome(struct recorder *r, struct recorded_call *c, const struct outcome *out)
{
	c->outcome = (struct outcome){
		.status = out->status,
		.reason = mem_strdup(out->reason),
		.exit_code = out->exit_code,
		.signal = out->signal,
		.start_ns = out->start_ns,
		.end_ns = out->end_ns,
		.user_ns = out->user_ns,
		.sys_ns = out->sys_ns,
		.maxrss_bytes = out->maxrss_bytes,
		.wall_step_ns = out->wall_step_ns,
		.cpu_step_ns = out->cpu_step_ns,
		.truncated = out->truncated,
		.http_status = out->http_status,
		.ttfb_ns = out->ttfb_ns,
		.whole_ns = out->whole_ns,
	};
	c->out = keep(r, buf_str(&out->out), out->out.len);
	c->err = keep(r, buf_str(&out->err), out->err.len);
	c->headers = keep(r, buf_str(&out->headers), out->headers.len);
}

static int recorder_exec(struct system *s, const struct step *step, const struct exec_request *q,
			 struct outcome *out, struct err *err)
{
	struct recorder *r = lift(s);
	int rc = system_exec(s, step, q, out, err);

	lower(s, r);
	note_outcome(r, note(s, r, RECORDED_EXEC, step, rc, err), out);
	return rc;
}

static int recorder_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
			  struct outcome *out, struct err *err)
{
	struct recorder *r = lift(s);
	int rc = system_fetch(s, step, q, out, err);

	lower(s, r);
	note_outcome(r, note(s, r, RECORDED_FETCH, step, rc, err), out);
	return rc;
}

static int recorder_spawn(struct system *s, const struct step *step, const struct exec_request *q,
			  const char *log, int *id, struct err *err)
{
	struct recorder *r = lift(s);
	int inner = 0;
	int rc = system_spawn(s, step, q, log, &inner, err);

	lower(s, r);
	struct recorded_call *c = note(s, r, RECORDED_SPAWN, step, rc, err);
	if (rc == 0) {
		vec_add(&r->services)->inner = inner;
		*id = (int)r->services.n;
		c->number = *id;
	}
	return rc;
}

static struct service *service_of(struct recorder *r, int id)
{
	return id >= 1 && (size_t)id <= r->services.n ? &r->services.v[id - 1] : NULL;
}

static bool recorder_alive(struct system *s, int id, const char **how)
{
	static const struct step no_step = {"", 0, 1};
	struct recorder *r = lift(s);
	struct service *service = service_of(r, id);
	bool alive = system_alive(s, service == NULL ? id : service->inner, how);

	lower(s, r);
	if (service != NULL && !service->ended_noted) {
		service->asked++;
		if (!alive) {
			struct recorded_call *c = note(s, r, RECORDED_ALIVE, &no_step, 0, NULL);
			c->number = id;
			c->asked = service->asked;
			c->text = mem_strdup(how != NULL && *how != NULL ? *how : "ended");
			service->ended_noted = true;
		}
	}
	return alive;
}

static int recorder_stop(struct system *s, const struct step *step, int id, int64_t grace_ns,
			 struct err *err)
{
	struct recorder *r = lift(s);
	const struct service *service = service_of(r, id);
	int rc = system_stop(s, step, service == NULL ? id : service->inner, grace_ns, err);

	lower(s, r);
	note(s, r, RECORDED_STOP, step, rc, err)->number = id;
	return rc;
}

static int recorder_put(struct system *s, const struct step *step, const char *path,
			const void *data, size_t len, struct err *err)
{
	struct recorder *r = lift(s);
	int rc = system_put(s, step, path, data, len, err);

	lower(s, r);
	(void)note(s, r, RECORDED_PUT, step, rc, err);
	return rc;
}

static int recorder_get(struct system *s, const struct step *step, const char *path, size_t max,
			struct buf *out, struct err *err)
{
	struct recorder *r = lift(s);
	size_t before = out->len;
	int rc = system_get(s, step, path, max, out, err);

	lower(s, r);
	struct recorded_call *c = note(s, r, RECORDED_GET, step, rc, err);
	if (rc == 0)
		c->out = keep(r, buf_str(out) + before, out->len - before);
	return rc;
}

static int recorder_get_part(struct system *s, const struct step *step, const char *path,
			     uint64_t at, size_t size, struct buf *out, struct err *err)
{
	struct recorder *r = lift(s);
	size_t before = out->len;
	int rc = system_get_part(s, step, path, at, size, out, err);

	lower(s, r);
	struct recorded_call *c = note(s, r, RECORDED_GET, step, rc, err);
	if (rc == 0)
		c->out = keep(r, buf_str(out) + before, out->len - before);
	return rc;
}

static int recorder_observe(struct system *s, const struct step *step, struct buf *out,
			    struct err *err)
{
	struct recorder *r = lift(s);
	size_t before = out->len;
	int rc = system_observe(s, step, out, err);

	lower(s, r);
	struct recorded_call *c = note(s, r, RECORDED_OBSERVE, step, rc, err);
	if (rc == 0)
		c->out = keep(r, buf_str(out) + before, out->len - before);
	return rc;
}

static int recorder_place(struct system *s, enum placement p, struct err *err)
{
	const struct step step = {p == PLACE_ALL ? "all" : "measured", 0, 1};
	struct recorder *r = lift(s);
	int rc = system_place(s, p, err);

	lower(s, r);
	(void)note(s, r, RECORDED_PLACE, &step, rc, err);
	return rc;
}

static int recorder_free_port(struct system *s, const struct step *step, int *port, struct err *err)
{
	struct recorder *r = lift(s);
	int rc = system_free_port(s, step, port, err);

	lower(s, r);
	struct recorded_call *c = note(s, r, RECORDED_FREE_PORT, step, rc, err);
	if (rc == 0)
		c->number = *port;
	return rc;
}

static void recorder_close(struct system *s)
{
	struct recorder *r = lift(s);

	s->kind->close(s);
	vec_release(&r->services);
	free(r);
}

static const struct system_kind recorder_kind = {
	.scheme = "recorder",
	.form = "recorder",
	.summary = "a layer that records",
	.exec = recorder_exec,
	.spawn = recorder_spawn,
	.alive = recorder_alive,
	.stop = recorder_stop,
	.fetch = recorder_fetch,
	.put = recorder_put,
	.get = recorder_get,
	.get_part = recorder_get_part,
	.observe = recorder_observe,
	.place = recorder_place,
	.free_port = recorder_free_port,
	.close = recorder_close,
};

/* What the system knows of itself, as a replay will know it. */
static void describe(const struct system *s, struct recorded_system *to)
{
	to->name = mem_strdup(s->name);
	to->target = mem_strdup(s->target);
	to->run_dir_inside = mem_strdup(s->run_dir_inside);
	to->arch = mem_strdup(s->arch);
	to->emulator = mem_strdup(s->emulator);
	to->emulated_cpu = mem_strdup(s->emulated_cpu);
	to->is_rootfs = s->is_rootfs;
	to->emulated = s->emulated;
	for (size_t i = 0; i < 2; i++)
		to->placement_text[i] = mem_strdup(s->placement_text[i]);
	for (size_t i = 0; i < SYSTEM_SHARES_MAX; i++) {
		to->share_asked[i] = mem_strdup(s->share_asked[i]);
		to->share_inside[i] = mem_strdup(s->share_inside[i]);
	}
	factset_copy(&to->facts, &s->facts);
}

void recorder_wrap(struct system *s, struct recording *r)
{
	struct recorder *layer = mem_alloc(sizeof(*layer));

	layer->kind = s->kind;
	layer->impl = s->impl;
	layer->recording = r;
	layer->system = mem_alloc(sizeof(*layer->system));
	vec_push(&r->systems, layer->system);
	describe(s, layer->system);
	lower(s, layer);
}
