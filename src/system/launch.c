#include "system/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "system/launch_channel.h"

enum {
	SMALL_REPLY = 4096,
	START_SECONDS = 30, /* a sandbox on a slow card */
	REPLY_SECONDS = 60,
	GRACE_INTERRUPTED_SECONDS = 2,
	CLOSE_SECONDS = 10,
};

static void add_u32(struct buf *b, uint32_t v)
{
	unsigned char p[4];

	lp_store32(p, v);
	buf_add(b, p, sizeof(p));
}

static void add_u64(struct buf *b, uint64_t v)
{
	unsigned char p[8];

	lp_store64(p, v);
	buf_add(b, p, sizeof(p));
}

static void add_bytes(struct buf *b, const void *data, size_t n)
{
	/* launch_send() refuses what is too much in all; this only keeps the length true */
	add_u32(b, n > LP_FRAME_MAX ? LP_FRAME_MAX : (uint32_t)n);
	buf_add(b, data, n);
}

static void add_string(struct buf *b, const char *s)
{
	add_bytes(b, s, strlen(s) + 1);
}

static void add_strings(struct buf *b, const struct strvec *v)
{
	size_t n = v == NULL ? 0 : v->n;

	add_u32(b, (uint32_t)n);
	for (size_t i = 0; i < n; i++)
		add_string(b, v->v[i]);
}

static void add_program(struct buf *b, const struct launch_program *p)
{
	add_string(b, p->path);
	add_strings(b, p->argv);
	add_strings(b, p->env);
	add_string(b, p->cwd);
}

static pid_t start_process(const struct launch_options *o, int channel, int errors, int *errnum)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all;
	sigset_t none;
	pid_t pid = 0;
	char *run = mem_printf("LAMPDUEL_RUN=%s", o->run_id);
	char path[] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	char *env[] = {run, path, NULL};

	(void)sigfillset(&all);
	(void)sigemptyset(&none);
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawn_file_actions_adddup2(&files, channel, STDIN_FILENO);
	(void)posix_spawn_file_actions_adddup2(&files, channel, STDOUT_FILENO);
	(void)posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
	(void)posix_spawnattr_init(&attr);
	(void)posix_spawnattr_setsigdefault(&attr, &all);
	(void)posix_spawnattr_setsigmask(&attr, &none);
	/* a session of its own: Ctrl-C is for lampduel, which then ends it in order */
	(void)posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSID);
	*errnum = posix_spawn(&pid, o->argv->v[0], &files, &attr, o->argv->v, env);
	(void)posix_spawnattr_destroy(&attr);
	(void)posix_spawn_file_actions_destroy(&files);
	free(run);
	return pid;
}

static int say_hello(struct launch *l, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = launch_receive(l, LP_HELLO, SMALL_REPLY, START_SECONDS * NS_PER_S,
				CHANNEL_GIVE_UP_ON_STOP, &b, NULL, err);

	if (rc == 0) {
		struct lp_reader r = {(unsigned char *)b.data, (unsigned char *)b.data + b.len,
				      false};

		(void)lp_u64(&r); /* stage and errno */
		uint32_t version = lp_u32(&r);
		(void)lp_u32(&r); /* its process and what it can, for whoever reads along */
		(void)lp_u32(&r);
		if (r.bad || version != LP_VERSION)
			rc = launch_gone(
				l, "is of another version than lampduel; install both anew", err);
	}
	buf_release(&b);
	return rc;
}

struct launch *launch_start(const struct launch_options *o, struct err *err)
{
	int pair[2];
	int errnum = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		(void)err_errno(err, errno, "cannot start %s", o->what);
		return NULL;
	}
	struct launch *l = mem_alloc(sizeof(*l));
	l->fd = pair[0];
	l->stop = o->stop;
	l->what = mem_strdup(o->what);
	l->errors = memfd_create("launcher-errors", MFD_CLOEXEC);
	if (l->errors < 0)
		errnum = errno;
	else
		l->pid = start_process(o, pair[1], l->errors, &errnum);
	(void)close(pair[1]);
	if (errnum != 0)
		(void)err_errno(err, errnum, "cannot start %s (%s)", o->what, o->argv->v[0]);
	if (errnum != 0 || say_hello(l, err) != 0) {
		launch_close(l);
		return NULL;
	}
	return l;
}

void launch_close(struct launch *l)
{
	if (l == NULL)
		return;
	if (l->fd >= 0)
		(void)close(l->fd); /* its end of file: it ends everything and then itself */
	int64_t deadline = clock_mono_ns() + CLOSE_SECONDS * NS_PER_S;
	while (l->pid > 0) {
		pid_t pid = waitpid(l->pid, NULL, WNOHANG);

		if (pid == l->pid || (pid < 0 && errno != EINTR))
			break;
		if (clock_mono_ns() > deadline)
			(void)kill(l->pid, SIGKILL);
		(void)usleep(1000);
	}
	if (l->errors >= 0)
		(void)close(l->errors);
	free(l->what);
	free(l->gone);
	free(l);
}

pid_t launch_pid(const struct launch *l)
{
	return l->pid;
}

/* The errno of another machine could be of another architecture, but text is better than none. */
static const char *exec_failure(int errnum)
{
	switch (errnum) {
	case ENOENT:
		return "no such program in this installation, or its loader is missing";
	case ENOEXEC:
		return "no program that this processor can run (built for another architecture?)";
	case EACCES:
		return "not allowed to run it (is it executable?)";
	case E2BIG:
		return "too many arguments";
	default:
		return strerror(errnum);
	}
}

static char *describe_stage(const struct launch_program *p, const char *log, uint32_t stage,
			    int errnum)
{
	char *path = text_escaped(p->path);
	char *cwd = text_escaped(p->cwd);
	char *text = NULL;

	switch (stage) {
	case LP_CHDIR:
		text = mem_printf("cannot enter folder %s: %s", cwd, strerror(errnum));
		break;
	case LP_EXEC:
		text = mem_printf("cannot run %s: %s", path, exec_failure(errnum));
		break;
	case LP_LOG:
		text = mem_printf("cannot create log file %s: %s", log == NULL ? "" : log,
				  strerror(errnum));
		break;
	default:
		text = mem_printf("cannot start %s: %s", path, strerror(errnum));
		break;
	}
	free(path);
	free(cwd);
	return text;
}

/* The last line a program said on stderr, in brackets. */
static char *last_words(const struct buf *b)
{
	struct buf text = BUF_INIT;
	size_t end = b->len;

	while (end > 0 && strchr(" \t\r\n", b->data[end - 1]) != NULL && b->data[end - 1] != '\0')
		end--;
	size_t start = end;
	while (start > 0 && b->data[start - 1] != '\n')
		start--;
	if (end > start) {
		buf_addstr(&text, ": ");
		text_escape(&text, b->data + start, end - start > 300 ? 300 : end - start);
	}
	return buf_detach(&text);
}

static void judge(const struct launch_run *q, int wait_status, uint32_t flags, struct outcome *out)
{
	const char *slash = strrchr(q->program.path, '/');
	char *name = text_escaped(slash == NULL ? q->program.path : slash + 1);
	char *words = last_words(&out->err);

	/*
	 * What was ended because it had said enough did its work, however it ended: a shell whose
	 * child is killed first may still come to an end of its own.
	 */
	bool enough = (flags & LP_ENOUGH) != 0;

	if (WIFSIGNALED(wait_status) && !enough)
		out->signal = WTERMSIG(wait_status);
	out->exit_code = enough ? 0 : WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
	if ((flags & LP_TIMED_OUT) != 0)
		outcome_fail(out, OUTCOME_TIMEOUT, "%s did not end within %.3g s and was ended",
			     name, (double)q->timeout_ns / 1e9);
	else if (out->signal != 0)
		outcome_fail(out, OUTCOME_FAILED, "%s was killed by signal %d (%s)%s", name,
			     out->signal, strsignal(out->signal), words);
	else if (out->exit_code != 0)
		outcome_fail(out, OUTCOME_FAILED, "%s ended with exit status %d%s", name,
			     out->exit_code, words);
	free(name);
	free(words);
}

static int read_run(struct launch *l, const struct launch_run *q, const struct buf *b,
		    struct outcome *out, struct err *err)
{
	struct lp_reader r = {(unsigned char *)b->data, (unsigned char *)b->data + b->len, false};
	uint32_t stage = lp_u32(&r);
	int errnum = (int)lp_u32(&r);

	if (stage != LP_DONE) {
		char *text = describe_stage(&q->program, NULL, stage, errnum);

		out->exit_code = 127;
		outcome_fail(out, OUTCOME_FAILED, "%s", text);
		free(text);
		return 0;
	}
	int wait_status = (int)lp_u32(&r);
	uint32_t flags = lp_u32(&r);
	size_t out_len = 0;
	size_t err_len = 0;
	out->start_ns = (int64_t)lp_u64(&r);
	out->end_ns = (int64_t)lp_u64(&r);
	out->user_ns = (int64_t)lp_u64(&r);
	out->sys_ns = (int64_t)lp_u64(&r);
	out->maxrss_bytes = (int64_t)lp_u64(&r);
	const void *out_data = lp_bytes(&r, &out_len);
	const void *err_data = lp_bytes(&r, &err_len);
	if (r.bad || out->start_ns < 0 || out->end_ns < out->start_ns || out->user_ns < 0 ||
	    out->sys_ns < 0 || out->maxrss_bytes < 0)
		return launch_gone(l, "sent an answer that makes no sense", err);
	buf_add(&out->out, out_data, out_len);
	buf_add(&out->err, err_data, err_len);
	out->truncated = (flags & (LP_OUT_TRUNCATED | LP_ERR_TRUNCATED)) != 0;
	judge(q, wait_status, flags, out);
	return 0;
}

int launch_run(struct launch *l, const struct launch_run *q, struct outcome *out, struct err *err)
{
	struct buf b = BUF_INIT;
	size_t output_max = q->output_max == 0 ? 1 << 20 : q->output_max;
	bool cancelled = false;

	*out = (struct outcome){.status = OUTCOME_OK};
	if (output_max > LP_OUTPUT_MAX)
		output_max = LP_OUTPUT_MAX;
	if (launch_interrupted(l))
		return err_code(err, ERR_INTERRUPTED, "interrupted");
	if (q->timeout_ns <= 0 || q->timeout_ns > INT64_MAX / 4)
		return err_set(err, "cannot run %s: no time limit", q->program.path);
	add_program(&b, &q->program);
	add_u32(&b, (q->discard_output ? LP_DISCARD_OUTPUT : 0) |
			    (q->input != NULL ? LP_HAS_INPUT : 0));
	add_u64(&b, (uint64_t)q->timeout_ns);
	add_u64(&b, output_max);
	add_bytes(&b, q->input, q->input == NULL ? 0 : q->input_len);
	add_bytes(&b, q->enough, q->enough == NULL ? 0 : strlen(q->enough));
	int rc = launch_send(l, LP_RUN, &b, err);
	if (rc == 0)
		rc = launch_receive(l, LP_RUN, 2 * output_max + SMALL_REPLY,
				    q->timeout_ns + REPLY_SECONDS * NS_PER_S,
				    CHANNEL_CANCEL_ON_STOP, &b, &cancelled, err);
	if (rc == 0 && cancelled)
		rc = err_code(err, ERR_INTERRUPTED, "interrupted");
	if (rc == 0)
		rc = read_run(l, q, &b, out, err);
	buf_release(&b);
	return rc;
}

/* A request with a small reply: sends b, which becomes the reply. */
static int ask(struct launch *l, uint32_t type, struct buf *b, int64_t timeout_ns,
	       enum channel_on_stop on_stop, struct lp_reader *r, uint32_t *stage, int *errnum,
	       struct err *err)
{
	int rc = launch_send(l, type, b, err);

	if (rc == 0)
		rc = launch_receive(l, type, SMALL_REPLY, timeout_ns, on_stop, b, NULL, err);
	*r = (struct lp_reader){(unsigned char *)b->data, (unsigned char *)b->data + b->len,
				rc != 0};
	*stage = lp_u32(r);
	*errnum = (int)lp_u32(r);
	return rc;
}

int launch_spawn(struct launch *l, const struct launch_program *p, const char *log, int *id,
		 struct err *err)
{
	struct buf b = BUF_INIT;
	struct lp_reader r;
	uint32_t stage = 0;
	int errnum = 0;

	*id = 0;
	if (launch_interrupted(l))
		return err_code(err, ERR_INTERRUPTED, "interrupted");
	add_program(&b, p);
	add_string(&b, log);
	int rc = ask(l, LP_SPAWN, &b, REPLY_SECONDS * NS_PER_S, CHANNEL_IGNORE_STOP, &r, &stage,
		     &errnum, err);
	if (rc == 0 && stage != LP_DONE) {
		char *text = describe_stage(p, log, stage, errnum);

		rc = err_set(err, "%s", text);
		free(text);
	} else if (rc == 0) {
		*id = (int)lp_u32(&r);
		if (*id <= 0)
			rc = launch_gone(l, "sent an answer that makes no sense", err);
	}
	buf_release(&b);
	return rc;
}

int launch_status(struct launch *l, int id, bool *running, int *wait_status, struct err *err)
{
	struct buf b = BUF_INIT;
	struct lp_reader r;
	uint32_t stage = 0;
	int errnum = 0;

	add_u32(&b, (uint32_t)id);
	int rc = ask(l, LP_STATUS, &b, REPLY_SECONDS * NS_PER_S, CHANNEL_IGNORE_STOP, &r, &stage,
		     &errnum, err);
	*running = rc == 0 && stage == LP_DONE && lp_u32(&r) != 0;
	*wait_status = rc == 0 ? (int)lp_u32(&r) : 0;
	if (rc == 0 && stage != LP_DONE)
		rc = err_set(err, "no service with number %d", id);
	buf_release(&b);
	return rc;
}

int launch_stop(struct launch *l, int id, int64_t grace_ns, struct err *err)
{
	struct buf b = BUF_INIT;
	struct lp_reader r;
	uint32_t stage = 0;
	int errnum = 0;

	if (grace_ns < 0)
		grace_ns = 0;
	if (launch_interrupted(l) && grace_ns > GRACE_INTERRUPTED_SECONDS * NS_PER_S)
		grace_ns = GRACE_INTERRUPTED_SECONDS * NS_PER_S;
	add_u32(&b, (uint32_t)id);
	add_u64(&b, (uint64_t)grace_ns);
	/* when the interruption came before, the short grace is given; when it comes now, none */
	int rc = ask(l, LP_STOP, &b, grace_ns + REPLY_SECONDS * NS_PER_S,
		     launch_interrupted(l) ? CHANNEL_IGNORE_STOP : CHANNEL_CANCEL_ON_STOP, &r,
		     &stage, &errnum, err);
	if (rc == 0 && stage != LP_DONE)
		rc = err_set(err, "no service with number %d", id);
	buf_release(&b);
	return rc;
}

int launch_place(struct launch *l, const unsigned char *mask, size_t len, struct err *err)
{
	struct buf b = BUF_INIT;
	struct lp_reader r;
	uint32_t stage = 0;
	int errnum = 0;

	add_bytes(&b, mask, len);
	int rc = ask(l, LP_PLACE, &b, REPLY_SECONDS * NS_PER_S, CHANNEL_IGNORE_STOP, &r, &stage,
		     &errnum, err);
	if (rc == 0 && stage != LP_DONE)
		rc = err_errno(err, errnum, "cannot choose the CPUs of %s", l->what);
	buf_release(&b);
	return rc;
}

int launch_put(struct launch *l, const char *path, const void *data, size_t len, struct err *err)
{
	struct buf b = BUF_INIT;
	struct lp_reader r;
	uint32_t stage = 0;
	int errnum = 0;

	add_string(&b, path);
	add_bytes(&b, data, len);
	int rc = ask(l, LP_PUT, &b, REPLY_SECONDS * NS_PER_S, CHANNEL_IGNORE_STOP, &r, &stage,
		     &errnum, err);
	if (rc == 0 && stage != LP_DONE)
		rc = err_errno(err, errnum, "cannot write %s in %s", path, l->what);
	buf_release(&b);
	return rc;
}

int launch_get(struct launch *l, const char *path, size_t max, struct buf *out, struct err *err)
{
	struct buf b = BUF_INIT;

	if (max > LP_OUTPUT_MAX)
		max = LP_OUTPUT_MAX;
	add_string(&b, path);
	add_u64(&b, max);
	int rc = launch_send(l, LP_GET, &b, err);
	if (rc == 0)
		rc = launch_receive(l, LP_GET, max + SMALL_REPLY, REPLY_SECONDS * NS_PER_S,
				    CHANNEL_IGNORE_STOP, &b, NULL, err);
	if (rc == 0) {
		struct lp_reader r = {(unsigned char *)b.data, (unsigned char *)b.data + b.len,
				      false};
		size_t len = 0;
		uint32_t stage = lp_u32(&r);
		int errnum = (int)lp_u32(&r);

		if (stage != LP_DONE && errnum == EFBIG)
			rc = err_set(err, "%s in %s is longer than %zu bytes", path, l->what, max);
		else if (stage != LP_DONE)
			rc = err_errno(err, errnum, "cannot read %s in %s", path, l->what);
		const void *data = rc == 0 ? lp_bytes(&r, &len) : NULL;
		if (rc == 0 && (r.bad || len > max))
			rc = launch_gone(l, "sent an answer that makes no sense", err);
		if (rc == 0)
			buf_add(out, data, len);
	}
	buf_release(&b);
	return rc;
}
