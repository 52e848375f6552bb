#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/jsonx.h"
#include "base/mem.h"
#include "base/text.h"
#include "system/recording.h"

/* What is left out when it has this value is so again when it is read. */
static void put_text(json_t *o, const char *key, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	/* a message or path that is only shown need be no UTF-8 */
	jsonx_put(o, key, jsonx_text(value));
}

static void put_int(json_t *o, const char *key, int64_t value)
{
	if (value != 0)
		jsonx_put(o, key, json_integer(value));
}

static void put_true(json_t *o, const char *key, bool value)
{
	if (value)
		jsonx_put(o, key, json_true());
}

static void put_bytes(json_t *o, const char *key, const struct recording *r, size_t index)
{
	if (index != 0)
		jsonx_put(o, key, bytes_to_json(&r->bytes, index));
}

static json_t *new_object(void)
{
	json_t *o = json_object();

	if (o == NULL)
		mem_exhausted();
	return o;
}

static void put_line(struct buf *out, json_t *o)
{
	char *text = jsonx_take_text(o, JSON_COMPACT | JSON_ENSURE_ASCII);

	buf_addf(out, "%s\n", text);
	free(text);
}

static void save_head(struct buf *out, const struct recording *r)
{
	json_t *o = new_object();

	put_int(o, "lampduel_recording", 1);
	put_text(o, "made_by", r->made_by);
	put_text(o, "command", r->command);
	put_int(o, "start_ns", r->start_ns);
	put_int(o, "unix_ns", r->unix_ns);
	put_line(out, o);
}

static json_t *facts_json(const struct factset *f)
{
	json_t *list = json_array();

	for (size_t i = 0; i < f->n; i++) {
		json_t *o = new_object();
		put_text(o, "key", f->v[i].key);
		put_text(o, "value", f->v[i].value);
		put_text(o, "origin", f->v[i].origin);
		jsonx_append(list, o);
	}
	return list;
}

static void save_system(struct buf *out, const struct recorded_system *s)
{
	json_t *o = new_object();

	put_text(o, "system", s->name);
	put_text(o, "target", s->target);
	put_text(o, "run_dir_inside", s->run_dir_inside);
	put_text(o, "arch", s->arch);
	put_true(o, "is_rootfs", s->is_rootfs);
	put_true(o, "emulated", s->emulated);
	put_text(o, "emulator", s->emulator);
	put_text(o, "emulated_cpu", s->emulated_cpu);
	put_text(o, "place_all", s->placement_text[PLACE_ALL]);
	put_text(o, "place_measured", s->placement_text[PLACE_MEASURED]);
	json_t *shares = new_object();
	for (size_t i = 0; i < SYSTEM_SHARES_MAX; i++) {
		if (s->share_asked[i] != NULL)
			put_text(shares, s->share_asked[i],
				 s->share_inside[i] != NULL ? s->share_inside[i]
							    : s->share_asked[i]);
	}
	if (json_object_set_new(o, "shares", shares) != 0 ||
	    json_object_set_new(o, "facts", facts_json(&s->facts)) != 0)
		mem_exhausted();
	put_line(out, o);
}

static void put_outcome(json_t *o, const struct outcome *out)
{
	if (out->status != OUTCOME_OK)
		put_text(o, "status", outcome_status_name(out->status));
	put_text(o, "reason", out->reason);
	put_int(o, "exit", out->exit_code);
	put_int(o, "signal", out->signal);
	put_int(o, "start_ns", out->start_ns);
	put_int(o, "end_ns", out->end_ns);
	put_int(o, "user_ns", out->user_ns);
	put_int(o, "sys_ns", out->sys_ns);
	put_int(o, "maxrss", out->maxrss_bytes);
	put_int(o, "wall_step", out->wall_step_ns);
	put_int(o, "cpu_step", out->cpu_step_ns);
	put_true(o, "truncated", out->truncated);
	put_int(o, "http", out->http_status);
	put_int(o, "ttfb_ns", out->ttfb_ns);
	put_int(o, "whole_ns", out->whole_ns);
}

static void save_call(struct buf *out, const struct recording *r, const struct recorded_system *s,
		      const struct recorded_call *c)
{
	json_t *o = new_object();

	put_text(o, "call", recorded_action_name(c->action));
	put_text(o, "system", s->name);
	put_text(o, "step", c->step);
	put_int(o, "round", c->round);
	put_int(o, "attempt", c->attempt);
	put_int(o, "at_ns", c->at_ns);
	put_int(o, "code", c->code);
	put_text(o, c->action == RECORDED_ALIVE ? "how" : "error", c->text);
	put_outcome(o, &c->outcome);
	put_int(o, c->action == RECORDED_FREE_PORT ? "port" : "service", c->number);
	put_int(o, "asked", c->asked);
	put_bytes(o, "headers", r, c->headers);
	put_bytes(o, "out", r, c->out);
	put_bytes(o, "err", r, c->err);
	put_line(out, o);
}

int recording_save(struct recording *r, const char *path, struct err *err)
{
	struct buf out = BUF_INIT;

	save_head(&out, r);
	for (size_t i = 0; i < r->systems.n; i++)
		save_system(&out, r->systems.v[i]);
	bytes_write_shared(&r->bytes, &out);
	for (size_t i = 0; i < r->systems.n; i++) {
		const struct recorded_system *s = r->systems.v[i];
		for (size_t c = 0; c < s->calls.n; c++)
			save_call(&out, r, s, &s->calls.v[c]);
	}
	int rc = fs_write_output(path, out.data, out.len, err);
	buf_release(&out);
	return rc;
}
