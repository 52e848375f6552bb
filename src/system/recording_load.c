#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "system/recording.h"

/* A recording of a whole reference case takes a few MiB. */
enum { RECORDING_MAX = 256 << 20 };

/*
 * Takes the keys of one line off it, so that what is left over at its end is unknown. The first
 * fault stays in err; after one the values are defaults.
 */
struct line {
	json_t *o;
	struct err *err;
	int rc;
};

static json_t *take(struct line *l, const char *key)
{
	json_t *j = json_incref(json_object_get(l->o, key));

	(void)json_object_del(l->o, key);
	return j;
}

static void fault(struct line *l, const char *key, const char *what)
{
	if (l->rc == 0)
		l->rc = err_set(l->err, "%s: %s", key, what);
}

/* New string; NULL when the key is missing. */
static char *take_text(struct line *l, const char *key)
{
	json_t *j = take(l, key);
	char *s = NULL;

	if (json_is_string(j) && strlen(json_string_value(j)) == json_string_length(j))
		s = mem_strdup(json_string_value(j));
	else if (j != NULL)
		fault(l, key, "not a text");
	json_decref(j);
	return s;
}

static int64_t take_int(struct line *l, const char *key, int64_t fallback)
{
	json_t *j = take(l, key);
	int64_t v = fallback;

	if (json_is_integer(j))
		v = json_integer_value(j);
	else if (j != NULL)
		fault(l, key, "not a whole number");
	json_decref(j);
	return v;
}

static int take_small(struct line *l, const char *key, int fallback)
{
	int64_t v = take_int(l, key, fallback);

	if (v < INT32_MIN || v > INT32_MAX) {
		fault(l, key, "out of range");
		v = fallback;
	}
	return (int)v;
}

static bool take_bool(struct line *l, const char *key)
{
	json_t *j = take(l, key);
	bool v = json_is_true(j);

	if (j != NULL && !json_is_boolean(j))
		fault(l, key, "neither true nor false");
	json_decref(j);
	return v;
}

static size_t take_bytes(struct line *l, const char *key, struct bytes_pool *p)
{
	json_t *j = take(l, key);
	size_t index = 0;
	struct err err = ERR_INIT;

	if (j != NULL && bytes_from_json(p, j, &index, &err) != 0)
		fault(l, key, err.msg);
	json_decref(j);
	return index;
}

static int load_head(struct recording *r, struct line *l)
{
	int64_t version = take_int(l, "lampduel_recording", 0);

	if (l->rc == 0 && version != 1)
		return err_set(l->err, version == 0 ? "not a recording of lampduel"
						    : "a recording of a newer lampduel");
	r->made_by = take_text(l, "made_by");
	r->command = take_text(l, "command");
	r->start_ns = take_int(l, "start_ns", 0);
	r->unix_ns = take_int(l, "unix_ns", 0);
	return l->rc;
}

static struct recorded_system *find_system(const struct recording *r, const char *name)
{
	for (size_t i = 0; i < r->systems.n; i++) {
		if (text_equal(r->systems.v[i]->name, name))
			return r->systems.v[i];
	}
	return NULL;
}

static void load_facts(struct line *l, struct factset *f)
{
	json_t *facts = take(l, "facts");
	size_t i = 0;
	json_t *o = NULL;

	json_array_foreach(facts, i, o)
	{
		const char *key = json_string_value(json_object_get(o, "key"));
		const char *value = json_string_value(json_object_get(o, "value"));
		const char *origin = json_string_value(json_object_get(o, "origin"));

		if (key == NULL)
			fault(l, "facts", "a fact without key");
		else
			factset_set(f, key, value == NULL ? "" : value, origin);
	}
	json_decref(facts);
}

static void load_shares(struct line *l, struct recorded_system *s)
{
	json_t *shares = take(l, "shares");
	const char *asked = NULL;
	json_t *inside = NULL;
	size_t n = 0;

	json_object_foreach(shares, asked, inside)
	{
		if (n == SYSTEM_SHARES_MAX || !json_is_string(inside)) {
			fault(l, "shares", "too many, or not a text");
			break;
		}
		s->share_asked[n] = mem_strdup(asked);
		s->share_inside[n++] = mem_strdup(json_string_value(inside));
	}
	json_decref(shares);
}

static int load_system(struct recording *r, struct line *l)
{
	struct recorded_system *s = mem_alloc(sizeof(*s));

	vec_push(&r->systems, s);
	char *name = take_text(l, "system");
	if (name != NULL && find_system(r, name) != NULL)
		fault(l, "system", "a second one of this name");
	s->name = name != NULL ? name : mem_strdup("");
	s->target = take_text(l, "target");
	s->run_dir_inside = take_text(l, "run_dir_inside");
	s->arch = take_text(l, "arch");
	s->is_rootfs = take_bool(l, "is_rootfs");
	s->emulated = take_bool(l, "emulated");
	s->emulator = take_text(l, "emulator");
	s->emulated_cpu = take_text(l, "emulated_cpu");
	s->placement_text[PLACE_ALL] = take_text(l, "place_all");
	s->placement_text[PLACE_MEASURED] = take_text(l, "place_measured");
	load_shares(l, s);
	load_facts(l, &s->facts);
	return l->rc;
}

static void load_outcome(struct line *l, struct outcome *o)
{
	char *status = take_text(l, "status");

	if (status != NULL && !outcome_status_from_name(status, &o->status))
		fault(l, "status", "none of ok, failed, timeout, invalid, skipped");
	free(status);
	o->reason = take_text(l, "reason");
	if (o->status != OUTCOME_OK && o->reason == NULL)
		fault(l, "reason", "missing, and status is not ok");
	o->exit_code = take_small(l, "exit", 0);
	o->signal = take_small(l, "signal", 0);
	o->start_ns = take_int(l, "start_ns", 0);
	o->end_ns = take_int(l, "end_ns", o->start_ns);
	o->user_ns = take_int(l, "user_ns", 0);
	o->sys_ns = take_int(l, "sys_ns", 0);
	o->maxrss_bytes = take_int(l, "maxrss", 0);
	o->wall_step_ns = take_int(l, "wall_step", 0);
	o->cpu_step_ns = take_int(l, "cpu_step", 0);
	o->truncated = take_bool(l, "truncated");
	o->http_status = take_small(l, "http", 0);
	o->ttfb_ns = take_int(l, "ttfb_ns", 0);
	o->whole_ns = take_int(l, "whole_ns", 0);
}

static bool action_of(const char *name, enum recorded_action *a)
{
	for (int i = 0; i < RECORDED_ACTIONS; i++) {
		if (text_equal(recorded_action_name((enum recorded_action)i), name)) {
			*a = (enum recorded_action)i;
			return true;
		}
	}
	return false;
}

static void load_fields(struct recording *r, struct line *l, struct recorded_call *c)
{
	char *action = take_text(l, "call");

	if (!action_of(action, &c->action))
		fault(l, "call", "not a call of a system");
	free(action);
	c->step = take_text(l, "step");
	if (c->step == NULL) {
		if (c->action != RECORDED_ALIVE)
			fault(l, "step", "missing");
		c->step = mem_strdup("");
	}
	c->round = take_small(l, "round", 0);
	c->attempt = take_small(l, "attempt", 1);
	c->code = take_small(l, "code", 0);
	c->text = take_text(l, c->action == RECORDED_ALIVE ? "how" : "error");
	if (c->code > 0 || ((c->code < 0 || c->action == RECORDED_ALIVE) && c->text == NULL))
		fault(l, "code", "a failed call has a negative code and an error");
	if (c->action == RECORDED_EXEC || c->action == RECORDED_FETCH)
		load_outcome(l, &c->outcome);
	c->at_ns = take_int(l, "at_ns", c->outcome.end_ns);
	if (c->action == RECORDED_FREE_PORT)
		c->number = take_int(l, "port", 0);
	else if (c->action == RECORDED_SPAWN || c->action == RECORDED_STOP ||
		 c->action == RECORDED_ALIVE)
		c->number = take_int(l, "service", 0);
	c->asked = take_int(l, "asked", 0);
	c->headers = take_bytes(l, "headers", &r->bytes);
	c->out = take_bytes(l, "out", &r->bytes);
	c->err = take_bytes(l, "err", &r->bytes);
}

static int load_call(struct recording *r, struct line *l)
{
	char *name = take_text(l, "system");
	struct recorded_system *s = find_system(r, name);

	free(name);
	if (s == NULL)
		return err_set(l->err, "system: none of this name stands above");
	load_fields(r, l, vec_add(&s->calls));
	return l->rc;
}

static int load_object(struct recording *r, json_t *o, bool first, struct err *err)
{
	struct line l = {.o = o, .err = err};
	int rc = 0;

	if (first)
		rc = load_head(r, &l);
	else if (json_object_get(o, "bytes") != NULL)
		return bytes_read_shared(&r->bytes, o, err);
	else if (json_object_get(o, "call") != NULL)
		rc = load_call(r, &l);
	else if (json_object_get(o, "system") != NULL)
		rc = load_system(r, &l);
	if (rc == 0 && json_object_size(o) > 0)
		rc = err_set(err, "unknown key \"%s\"", json_object_iter_key(json_object_iter(o)));
	return rc;
}

static int load_line(struct recording *r, const char *text, size_t len, bool first, struct err *err)
{
	json_error_t why;
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
	int rc = 0;

	if (!json_is_object(o))
		rc = err_set(err, "not a JSON object: %s", o == NULL ? why.text : "another value");
	else
		rc = load_object(r, o, first, err);
	json_decref(o);
	return rc;
}

static int load_lines(struct recording *r, const char *path, const struct buf *text,
		      struct err *err)
{
	const char *p = buf_str(text);
	const char *end = p + text->len;
	bool first = true;

	for (long number = 1; p < end; number++) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((newline == NULL ? end : newline) - p);

		if (len > 0 && p[0] != '#') {
			if (load_line(r, p, len, first, err) != 0)
				return err_wrap(err, "%s:%ld", path, number);
			first = false;
		}
		p += len + 1;
	}
	if (first || r->systems.n == 0)
		return err_set(err, "%s: not a recording of lampduel: it has no system", path);
	return 0;
}

struct recording *recording_load(const char *path, struct err *err)
{
	struct recording *r = mem_alloc(sizeof(*r));
	struct buf text = BUF_INIT;

	(void)pthread_mutex_init(&r->lock, NULL);
	r->bytes.reading = true;
	int rc = fs_read(path, RECORDING_MAX, &text, err);
	if (rc == 0)
		rc = load_lines(r, path, &text, err);
	buf_release(&text);
	if (rc != 0) {
		recording_free(r);
		return NULL;
	}
	return r;
}
