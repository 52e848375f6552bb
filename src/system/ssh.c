#include "system/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/text.h"
#include "system/observe.h"
#include "system/ssh_fetch.h"
#include "system/ssh_link.h"

enum { OUTPUT_MAX = 1 << 20, WORDS_MAX = 4096, FETCH_ROOM = 256 << 10 };

#define FILE_LIMIT_NS (120 * NS_PER_S)
#define OBSERVE_LIMIT_NS (20 * NS_PER_S)
/* what the calendar's clock and /proc/uptime, with its 10 ms, may differ by */
#define CLOCK_SLACK_NS (100 * NS_PER_MS)

struct ssh_system {
	struct ssh_target target;
	struct ssh_link_options options;
	char *run_id, *run_dir, *cache_dir;
	struct ssh_link *link; /* NULL: lost, and not made again yet */
	char former[17];       /* the nonce of the last one that was lost */
};

static int ssh_check(const char *target, struct err *err)
{
	struct ssh_target t;
	int rc = ssh_target_parse(target, &t, err);

	ssh_target_release(&t);
	return rc;
}

/* The folder over there is another one after each login. */
static void use_link(struct system *s, struct ssh_system *d, struct ssh_link *l)
{
	d->link = l;
	mem_replace(&s->run_dir_inside, mem_strdup(ssh_link_there(l)->dir));
}

static void lose_link(struct ssh_system *d)
{
	if (d->link == NULL)
		return;
	memcpy(d->former, ssh_link_there(d->link)->nonce, sizeof(d->former));
	ssh_link_drop(d->link);
	d->link = NULL;
}

/* A connection, made again when it was lost: for about a minute. */
static int connected(struct system *s, struct err *err)
{
	static const int pauses_s[] = {0, 1, 2, 4, 8, 15, 30};
	struct ssh_system *d = s->impl;
	struct err why = ERR_INIT;

	if (d->link != NULL && ssh_link_alive(d->link))
		return 0;
	lose_link(d);
	for (size_t i = 0; i < sizeof(pauses_s) / sizeof(pauses_s[0]); i++) {
		for (int k = 0; k < 10 * pauses_s[i] && *s->stop == 0; k++)
			clock_sleep_ns(s->clock, NS_PER_S / 10);
		if (*s->stop != 0)
			return err_code(err, ERR_INTERRUPTED, "interrupted");
		struct ssh_link *l = ssh_link_open(&d->options, d->former, &why);
		if (l != NULL) {
			use_link(s, d, l);
			return 0;
		}
		if (why.code == ERR_INTERRUPTED)
			return err_code(err, ERR_INTERRUPTED, "interrupted");
	}
	return err_code(err, ERR_GONE, "the connection to %s was lost and cannot be made again: %s",
			s->name, why.msg);
}

/*
 * A session, once more when the connection is lost and `again` allows it. ERR_GONE: the system
 * cannot be used any more; *lost: this session was cut off, the next may do.
 */
static int session(struct system *s, struct buf *(*script)(struct system *s, const void *arg),
		   const void *arg, struct ssh_session *q, bool again, struct ssh_result *r,
		   bool *lost, struct err *err)
{
	struct ssh_system *d = s->impl;
	int rc = 0;

	*lost = false;
	*r = (struct ssh_result){0};
	for (int turn = 0; turn < 2; turn++) {
		rc = connected(s, err);
		if (rc != 0)
			return rc;
		struct buf *text = script(s, arg);
		q->script = text;
		ssh_result_release(r);
		rc = ssh_link_run(d->link, q, r, err);
		buf_release(text);
		free(text);
		if (rc != ERR_GONE)
			return rc;
		lose_link(d);
		if (!again)
			break;
	}
	*lost = true;
	return rc;
}

static const struct ssh_there *there(const struct system *s)
{
	return ssh_link_there(((const struct ssh_system *)s->impl)->link);
}

static struct buf *exec_script(struct system *s, const void *arg)
{
	const struct exec_request *q = arg;
	struct buf *b = mem_alloc(sizeof(*b));
	const struct ssh_program p = {
		.argv = q->argv,
		.env = q->env,
		.cwd = q->cwd == NULL ? s->run_dir_inside : q->cwd,
		.has_input = q->input != NULL,
		.discard_output = q->discard_output,
	};

	ssh_script_exec(b, there(s), &p);
	return b;
}

static char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return text_escaped(slash == NULL || slash[1] == '\0' ? path : slash + 1);
}

/* ": " and the last line of a program's own words, or "". */
static char *last_words(const struct buf *b)
{
	size_t from = b->len > WORDS_MAX ? b->len - WORDS_MAX : 0;
	char *text = mem_strndup(buf_str(b) + from, b->len - from);
	char *line = text_trim(text);
	char *start = strrchr(line, '\n');
	char *shown = text_escaped(start == NULL ? line : start + 1);
	char *words = mem_printf("%s%.300s", *shown == '\0' ? "" : ": ", shown);

	free(shown);
	free(text);
	return words;
}

static void take_times(const struct ssh_there *t, const struct ssh_result *r, struct outcome *out)
{
	const struct ssh_answer *a = &r->answer;

	out->start_ns = r->start_ns;
	out->end_ns = r->end_ns;
	if (!a->ended)
		return;
	out->user_ns = a->user_ns;
	out->sys_ns = a->sys_ns;
	out->cpu_step_ns = a->cpu_step_ns;
	out->wall_step_ns = t->clock_step_ns;
	int64_t off = a->wall_ns - a->uptime_ns;
	if (a->wall_ns < 0 ||
	    (a->uptime_ns >= 0 && (off > CLOCK_SLACK_NS || off < -CLOCK_SLACK_NS)))
		outcome_fail(out, OUTCOME_INVALID,
			     "the clock over there was set while the program ran");
	else
		out->end_ns = out->start_ns + a->wall_ns;
}

static void judge(const struct exec_request *q, const struct ssh_result *r, struct outcome *out)
{
	const struct ssh_answer *a = &r->answer;
	char *name = base_name(q->argv->v[0]);
	char *words = last_words(&r->err);

	/* what we ended ourselves because it had said enough did its work */
	bool enough = r->enough && (!a->ended || a->status != 0);
	out->exit_code = enough ? 0 : a->status;
	if (strcmp(a->refused, "none") == 0) {
		out->exit_code = 127;
		outcome_fail(out, OUTCOME_FAILED,
			     "cannot run %s: no such program in this installation", name);
	} else if (strcmp(a->refused, "folder") == 0) {
		out->exit_code = 127;
		outcome_fail(out, OUTCOME_FAILED, "cannot enter folder %s",
			     q->cwd == NULL ? "of the run" : q->cwd);
	} else if (r->timed_out) {
		outcome_fail(out, OUTCOME_TIMEOUT, "%s did not end within %.3g s and was ended",
			     name, (double)q->timeout_ns / 1e9);
	} else if (!a->began) {
		outcome_fail(out, OUTCOME_FAILED, "cannot run %s%s", name, words);
	} else if (a->status > 128 && a->status < 128 + 65 && !enough) {
		/* all that a shell says of a signal */
		out->signal = a->status - 128;
		out->exit_code = -1;
		outcome_fail(out, OUTCOME_FAILED, "%s was killed by signal %d (%s)%s", name,
			     out->signal, strsignal(out->signal), words);
	} else if (a->status != 0 && !enough) {
		outcome_fail(out, OUTCOME_FAILED, "%s ended with exit status %d%s", name, a->status,
			     words);
	}
	free(name);
	free(words);
}

/* The names that a shell over there could look up. */
static bool is_program_name(const char *name)
{
	return name[0] == '/' || (name[0] != '\0' && strchr(name, '/') == NULL);
}

static int ssh_exec(struct system *s, const struct step *step, const struct exec_request *q,
		    struct outcome *out, struct err *err)
{
	struct ssh_session x = {
		.input = q->input,
		.input_len = q->input_len,
		.timeout_ns = q->timeout_ns,
		.output_max = q->output_max == 0 ? OUTPUT_MAX : q->output_max,
		.enough = q->enough,
	};
	struct ssh_result r;
	bool lost = false;

	*out = (struct outcome){.status = OUTCOME_OK};
	if (q->argv == NULL || q->argv->n == 0 || !is_program_name(q->argv->v[0])) {
		out->exit_code = 127;
		outcome_fail(out, OUTCOME_FAILED,
			     "cannot run it: give its full path, or its name alone");
		return 0;
	}
	/* what is measured once is not silently done twice */
	int rc = session(s, exec_script, q, &x, step->round == 0, &r, &lost, err);
	if (lost) {
		outcome_fail(out, OUTCOME_INVALID, "%s", err->msg);
		out->start_ns = r.start_ns;
		out->end_ns = r.end_ns;
		err_clear(err);
		rc = 0;
	} else if (rc == 0) {
		take_times(there(s), &r, out);
		judge(q, &r, out);
		out->truncated = r.truncated;
		buf_add(&out->out, buf_str(&r.out), r.out.len);
		buf_add(&out->err, buf_str(&r.err), r.err.len);
	}
	ssh_result_release(&r);
	return rc;
}

struct file_request {
	const char *path;
	const void *data;
	size_t len;
};

static struct buf *put_script(struct system *s, const void *arg)
{
	const struct file_request *f = arg;
	struct buf *b = mem_alloc(sizeof(*b));

	ssh_script_put(b, there(s), f->path, f->len);
	return b;
}

static struct buf *get_script(struct system *s, const void *arg)
{
	const struct file_request *f = arg;
	struct buf *b = mem_alloc(sizeof(*b));

	ssh_script_get(b, there(s), f->path, f->len);
	return b;
}

/* 0, or an error "cannot read PATH: what the shell over there said". */
static int file_session(struct system *s, bool put, const struct file_request *f,
			struct ssh_session *x, struct ssh_result *r, struct err *err)
{
	bool lost = false;
	int rc = session(s, put ? put_script : get_script, f, x, true, r, &lost, err);

	if (rc == 0 && r->answer.status != 0) {
		char *words = last_words(&r->err);
		char *shown = text_escaped(f->path);
		rc = err_set(err, "cannot %s %s over there%s", put ? "write" : "read", shown,
			     words);
		free(shown);
		free(words);
	}
	return rc;
}

static int ssh_put(struct system *s, const struct step *step, const char *path, const void *data,
		   size_t len, struct err *err)
{
	const struct file_request f = {path, data, len};
	struct ssh_session x = {.input = data,
				.input_len = len,
				.timeout_ns = FILE_LIMIT_NS,
				.output_max = WORDS_MAX};
	struct ssh_result r;

	(void)step;
	int rc = file_session(s, true, &f, &x, &r, err);
	ssh_result_release(&r);
	return rc;
}

static int ssh_get(struct system *s, const struct step *step, const char *path, size_t max,
		   struct buf *out, struct err *err)
{
	const struct file_request f = {path, NULL, max};
	struct ssh_session x = {.timeout_ns = FILE_LIMIT_NS, .output_max = max + 1};
	struct ssh_result r;

	(void)step;
	int rc = file_session(s, false, &f, &x, &r, err);
	if (rc == 0 && r.out.len > max)
		rc = err_set(err, "%s over there is longer than %zu bytes", path, max);
	if (rc == 0)
		buf_add(out, buf_str(&r.out), r.out.len);
	ssh_result_release(&r);
	return rc;
}

static int ssh_spawn(struct system *s, const struct step *step, const struct exec_request *q,
		     const char *log, int *id, struct err *err)
{
	(void)s;
	(void)step;
	(void)q;
	(void)log;
	*id = 0;
	return err_set(err, "no services are started over ssh, only what runs is measured");
}

static bool ssh_alive(struct system *s, int id, const char **how)
{
	(void)s;
	(void)id;
	if (how != NULL)
		*how = "no such service";
	return false;
}

static int ssh_stop(struct system *s, const struct step *step, int id, int64_t grace_ns,
		    struct err *err)
{
	(void)s;
	(void)step;
	(void)grace_ns;
	return err_set(err, "no service with number %d", id);
}

/* By a program over there, so that no network is in any of its times. */
static int ssh_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
		     struct outcome *out, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	struct exec_request x = {.argv = &argv,
				 .timeout_ns = q->timeout_ns + FILE_LIMIT_NS,
				 .output_max = mem_add(q->body_max, FETCH_ROOM)};
	struct outcome ran = {0};

	*out = (struct outcome){.status = OUTCOME_OK};
	if (q->url == NULL)
		return err_set(err, "no services are started over ssh, only what runs is measured");
	bool curl = true;
	int rc = 0;
	for (int turn = 0; turn < 2; turn++, curl = false) {
		strvec_release(&argv);
		outcome_release(&ran);
		ssh_fetch_argv(q, curl, &argv);
		rc = ssh_exec(s, step, &x, &ran, err);
		if (rc != 0 || ran.exit_code != 127 || !curl)
			break;
	}
	strvec_release(&argv);
	if (rc == 0)
		ssh_fetch_read(q, curl, &ran, out);
	outcome_release(&ran);
	return rc;
}

static int ssh_observe(struct system *s, const struct step *step, struct buf *out, struct err *err)
{
	/* round 0: done again when the connection is lost */
	const struct step anytime = {step->name, 0, 1};
	struct strvec argv = STRVEC_INIT;
	struct exec_request q = {.argv = &argv, .timeout_ns = OBSERVE_LIMIT_NS};
	struct outcome ran = {0};

	strvec_push(&argv, "sh");
	strvec_push(&argv, "-c");
	strvec_push(&argv, observe_script());
	int rc = ssh_exec(s, &anytime, &q, &ran, err);
	if (rc == 0 && ran.status == OUTCOME_OK)
		buf_add(out, buf_str(&ran.out), ran.out.len);
	outcome_release(&ran);
	strvec_release(&argv);
	return rc;
}

/* The machine's own scheduler places its processes: a shell has no call for it. */
static int ssh_place(struct system *s, enum placement p, struct err *err)
{
	(void)s;
	(void)p;
	(void)err;
	return 0;
}

static int ssh_free_port(struct system *s, const struct step *step, int *port, struct err *err)
{
	(void)s;
	(void)step;
	*port = 0;
	return err_set(err, "no services are started over ssh, only what runs is measured");
}

static void ssh_close(struct system *s)
{
	struct ssh_system *d = s->impl;

	if (d->link != NULL && ssh_link_alive(d->link))
		ssh_link_close(d->link);
	else
		ssh_link_drop(d->link);
	ssh_target_release(&d->target);
	free(d->run_id);
	free(d->run_dir);
	free(d->cache_dir);
	free(d);
}

static void note_clock(struct system *s)
{
	static const char *const names[] = {
		[SSH_CLOCK_SHELL] = "bash's own clock",
		[SSH_CLOCK_DATE] = "date +%s%N",
		[SSH_CLOCK_UPTIME] = "/proc/uptime",
	};
	const struct ssh_there *t = there(s);
	char *text = mem_printf("%s, step %.3g ms", names[t->clock],
				(double)t->clock_step_ns / (double)NS_PER_MS);

	factset_set(&s->facts, "clock.command", text, "ssh");
	free(text);
}

static int ssh_open(struct system *s, const struct system_options *o, struct err *err)
{
	struct ssh_system *d = mem_alloc(sizeof(*d));

	s->impl = d;
	d->run_id = mem_strdup(o->run_id);
	d->run_dir = mem_strdup(o->run_dir);
	d->cache_dir = mem_strdup(o->cache_dir);
	for (int p = 0; p < 2; p++)
		s->placement_text[p] = "any CPU";
	int rc = ssh_target_parse(o->target, &d->target, err);
	char *client = proc_find("ssh");
	if (rc == 0 && client == NULL)
		rc = err_set(err,
			     "the program ssh is missing here: apt-get install openssh-client");
	free(client);
	if (rc == 0) {
		d->options = (struct ssh_link_options){.target = &d->target,
						       .run_id = d->run_id,
						       .run_dir = d->run_dir,
						       .cache_dir = d->cache_dir,
						       .locking = o->measures,
						       .stop = o->stop,
						       .progress = o->progress,
						       .progress_arg = o->progress_arg};
		struct ssh_link *l = ssh_link_open(&d->options, NULL, err);
		/* what progress points to is there for the opening only */
		d->options.progress = NULL;
		if (l == NULL)
			rc = err->code;
		else
			use_link(s, d, l);
	}
	if (rc == 0)
		note_clock(s);
	else
		ssh_close(s);
	return rc;
}

const struct system_kind ssh_kind = {
	.scheme = "ssh",
	.form = "ssh:[USER@]HOST[:PORT]",
	.summary = "another machine, as it is; nothing is installed there",
	.no_services = true,
	.check = ssh_check,
	.open = ssh_open,
	.exec = ssh_exec,
	.spawn = ssh_spawn,
	.alive = ssh_alive,
	.stop = ssh_stop,
	.fetch = ssh_fetch,
	.put = ssh_put,
	.get = ssh_get,
	.observe = ssh_observe,
	.place = ssh_place,
	.free_port = ssh_free_port,
	.close = ssh_close,
};
