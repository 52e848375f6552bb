#include "system/ssh_link.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "system/guard.h"
#include "system/ssh_process.h"

enum {
	CONTROL_MAX = 80, /* of the longest socket name the kernel takes ssh adds some itself */
	LINE_MAX_BYTES = 4096,
	SAID_MAX = 65536,
	TICK_MS = 100,
	ANSWER_ROOM = 4096, /* the marks and times around a program's own words */
};

/* ssh itself gives up at 20 s; a login shell may be slow */
#define LOGIN_LIMIT_NS (90 * NS_PER_S)
#define CLOSE_LIMIT_NS (10 * NS_PER_S)
/* what a session needs beyond its program: both ways, shells, the sweep */
#define SESSION_LIMIT_NS (60 * NS_PER_S)

struct ssh_link {
	struct ssh_process agent;
	struct ssh_there there;
	struct buf in, said;
	char *control, *control_dir; /* control_dir: ours to remove, NULL: the run folder's */
	const volatile int *stop;
	bool ready;
};

static void ssh_link_free(struct ssh_link *l)
{
	buf_release(&l->in);
	buf_release(&l->said);
	if (l->control != NULL)
		(void)unlink(l->control);
	if (l->control_dir != NULL)
		(void)rmdir(l->control_dir);
	free(l->control);
	free(l->control_dir);
	ssh_there_release(&l->there);
	free(l);
}

const struct ssh_there *ssh_link_there(const struct ssh_link *l)
{
	return &l->there;
}

static bool is_stopped(const struct ssh_link *l)
{
	return l->stop != NULL && *l->stop != 0;
}

/* Where the master listens: in the run folder, unless that name is too long for a socket. */
static int place_control(struct ssh_link *l, const struct ssh_link_options *o, struct err *err)
{
	l->control = mem_printf("%s/ssh", o->run_dir);
	if (strlen(l->control) <= CONTROL_MAX) {
		(void)unlink(l->control);
		return 0;
	}
	char folder[] = "/tmp/lampduel-ssh-XXXXXX";
	if (mkdtemp(folder) == NULL)
		return err_errno(err, errno, "cannot make a folder for ssh's socket in /tmp");
	l->control_dir = mem_strdup(folder);
	mem_replace(&l->control, mem_printf("%s/ssh", folder));
	return guard_add_path(o->cache_dir, o->run_id, folder, err);
}

/* The user's own settings hold; what must be so for a run without anybody present comes before. */
static void master_argv(const struct ssh_link *l, const struct ssh_target *t, const char *command,
			struct strvec *argv)
{
	static const char *const options[] = {
		"BatchMode=yes",         "ConnectTimeout=20",       "ServerAliveInterval=15",
		"ServerAliveCountMax=4", "ControlMaster=yes",       "ControlPersist=no",
		"RequestTTY=no",         "RemoteCommand=none",      "PermitLocalCommand=no",
		"ForwardX11=no",         "ClearAllForwardings=yes", "ForwardAgent=no",
		"LogLevel=ERROR",        "EscapeChar=none",
	};

	strvec_push(argv, "ssh");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		strvec_push(argv, "-o");
		strvec_push(argv, options[i]);
	}
	strvec_push(argv, "-S");
	strvec_push(argv, l->control);
	if (t->port != NULL) {
		strvec_push(argv, "-p");
		strvec_push(argv, t->port);
	}
	if (t->user != NULL) {
		strvec_push(argv, "-l");
		strvec_push(argv, t->user);
	}
	strvec_push(argv, "--");
	strvec_push(argv, t->host);
	strvec_push(argv, command);
}

/* A session of the master's; it must never connect by itself. */
static void session_argv(const struct ssh_link *l, const char *command, struct strvec *argv)
{
	static const char *const words[] = {"ssh",
					    "-F",
					    "/dev/null",
					    "-o",
					    "BatchMode=yes",
					    "-o",
					    "ProxyCommand=false",
					    "-o",
					    "LogLevel=ERROR",
					    "-o",
					    "EscapeChar=none",
					    "-T",
					    "-S"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		strvec_push(argv, words[i]);
	strvec_push(argv, l->control);
	strvec_push(argv, "--");
	strvec_push(argv, "lampduel");
	strvec_push(argv, command);
}

/* Appends what is there to read. false: the end. */
static bool take(int *fd, struct buf *b)
{
	char block[16384];
	ssize_t n = read(*fd, block, sizeof(block));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0) {
		(void)close(*fd);
		*fd = -1;
		return false;
	}
	buf_add(b, block, (size_t)n);
	return true;
}

/* Writes what the pipe takes of data behind *done. false: nobody reads any more. */
static bool give(int fd, const void *data, size_t len, size_t *done)
{
	ssize_t n = *done < len ? write(fd, (const char *)data + *done, len - *done) : 0;

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	*done += (size_t)n;
	return true;
}

static int tell(struct ssh_link *l, const char *order)
{
	size_t done = 0;

	return l->agent.in >= 0 && give(l->agent.in, order, strlen(order), &done) ? 0 : ERR_GONE;
}

static void set_clock(struct ssh_there *t, const char *words)
{
	char name[16] = "";
	long long date[4] = {0};

	if (sscanf(words, "%15s %lld %lld %lld %lld", name, &date[0], &date[1], &date[2],
		   &date[3]) < 1)
		return;
	t->clock = SSH_CLOCK_UPTIME;
	t->clock_step_ns = 10 * NS_PER_MS;
	if (strcmp(name, "shell") == 0) {
		t->clock = SSH_CLOCK_SHELL;
		t->clock_step_ns = 1000;
	} else if (strcmp(name, "date") == 0) {
		/* what one more process costs: the least of three */
		int64_t least = INT64_MAX;
		for (int i = 1; i < 4; i++) {
			if (date[i] > date[i - 1] && date[i] - date[i - 1] < least)
				least = date[i] - date[i - 1];
		}
		t->clock = SSH_CLOCK_DATE;
		t->clock_step_ns = least < NS_PER_S ? least : NS_PER_MS;
	}
}

/* One line of the agent. *failed: it cannot work there. */
static void hear(struct ssh_link *l, const struct ssh_link_options *o, const char *line,
		 bool *failed)
{
	struct ssh_there *t = &l->there;
	size_t n = strlen(t->nonce);

	if (line[0] != '@' || strncmp(line + 1, t->nonce, n) != 0 || line[n + 1] != ' ')
		return;
	const char *word = line + n + 2;
	if (text_starts(word, "dir /"))
		mem_replace(&t->dir, mem_strdup(word + 4));
	else if (text_starts(word, "path "))
		mem_replace(&t->path, mem_strdup(word + 5));
	else if (text_starts(word, "shell /"))
		mem_replace(&t->shell, mem_strdup(word + 6));
	else if (text_starts(word, "clock "))
		set_clock(t, word + 6);
	else if (text_starts(word, "wait ") && o->progress != NULL)
		o->progress(o->progress_arg, "waiting for another measurement over there");
	else if (text_starts(word, "go"))
		l->ready = t->dir != NULL && t->path != NULL && t->shell != NULL;
	else if (text_starts(word, "fail"))
		*failed = true;
}

static bool hear_lines(struct ssh_link *l, const struct ssh_link_options *o, bool *failed)
{
	char *end = NULL;
	bool waiting = false;

	while (l->in.len > 0 && (end = memchr(l->in.data, '\n', l->in.len)) != NULL) {
		size_t n = (size_t)(end - l->in.data);
		*end = '\0';
		hear(l, o, l->in.data, failed);
		waiting |= strstr(l->in.data, " wait ") != NULL;
		memmove(l->in.data, end + 1, l->in.len - n); /* with the NUL behind it */
		l->in.len -= n + 1;
	}
	if (l->in.len > LINE_MAX_BYTES)
		buf_clear(&l->in);
	return waiting;
}

static int why_not(struct ssh_link *l, bool failed, struct err *err)
{
	char *why = NULL;

	if (failed) {
		const char *words = buf_str(&l->said);
		size_t n = strcspn(words, "\n");
		struct buf b = BUF_INIT;
		text_escape(&b, words, n > 200 ? 200 : n);
		why = mem_printf("no folder for the run can be made and written over there: %s",
				 buf_str(&b));
		buf_release(&b);
	} else {
		why = ssh_explain(buf_str(&l->said), l->said.len);
	}
	int rc = err_code(err, ERR_GONE, "%s", why);
	free(why);
	return rc;
}

/* Sends the script and listens until the agent is ready. */
static int log_in(struct ssh_link *l, const struct ssh_link_options *o, const struct buf *script,
		  struct err *err)
{
	int64_t until = clock_mono_ns() + LOGIN_LIMIT_NS;
	size_t sent = 0;
	bool failed = false;

	while (!l->ready) {
		struct pollfd p[3] = {{l->agent.out, POLLIN, 0},
				      {l->agent.err, POLLIN, 0},
				      {sent < script->len ? l->agent.in : -1, POLLOUT, 0}};
		if (is_stopped(l))
			return err_code(err, ERR_INTERRUPTED, "interrupted");
		if (clock_mono_ns() > until)
			return err_code(err, ERR_GONE, "no answer within %lld s",
					(long long)(LOGIN_LIMIT_NS / NS_PER_S));
		(void)poll(p, 3, TICK_MS);
		if (p[2].revents != 0 && !give(l->agent.in, script->data, script->len, &sent))
			sent = script->len;
		if (p[1].revents != 0)
			(void)take(&l->agent.err, &l->said);
		if (l->said.len > SAID_MAX)
			buf_clear(&l->said);
		if (p[0].revents != 0)
			(void)take(&l->agent.out, &l->in);
		if (hear_lines(l, o, &failed))
			until = clock_mono_ns() + LOGIN_LIMIT_NS;
		if (l->agent.out < 0 && l->agent.err < 0)
			return why_not(l, failed, err);
	}
	return 0;
}

static int new_nonce(char nonce[17], struct err *err)
{
	unsigned char bytes[8];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return err_errno(err, errno, "no random numbers from the kernel");
	for (int i = 0; i < 8; i++)
		(void)snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

struct ssh_link *ssh_link_open(const struct ssh_link_options *o, const char *former,
			       struct err *err)
{
	struct ssh_link *l = mem_alloc(sizeof(*l));
	struct strvec argv = STRVEC_INIT;
	struct buf script = BUF_INIT;
	struct buf boot = BUF_INIT;
	char *command = NULL;

	l->stop = o->stop;
	l->there.run_id = mem_strdup(o->run_id);
	(void)fs_read("/proc/sys/kernel/random/boot_id", 128, &boot, NULL);
	int rc = new_nonce(l->there.nonce, err);
	if (rc == 0)
		rc = place_control(l, o, err);
	if (rc == 0) {
		ssh_script_agent(&script, &l->there, o->locking,
				 boot.len > 0 ? text_trim(boot.data) : NULL, former);
		command = ssh_bootstrap(script.len);
		master_argv(l, o->target, command, &argv);
		rc = ssh_process_start(&argv, o->run_id, &l->agent, err);
	}
	if (rc == 0) {
		rc = log_in(l, o, &script, err);
		if (rc != 0)
			ssh_process_end(&l->agent, rc == ERR_INTERRUPTED ? CLOSE_LIMIT_NS : 0);
	}
	free(command);
	buf_release(&boot);
	buf_release(&script);
	strvec_release(&argv);
	if (rc != 0) {
		ssh_link_free(l);
		return NULL;
	}
	return l;
}

/* What the agent and the master say after the login is of no use; it must not fill their pipes. */
static void drain(struct ssh_link *l)
{
	if (l->agent.out >= 0)
		(void)take(&l->agent.out, &l->in);
	if (l->agent.err >= 0)
		(void)take(&l->agent.err, &l->said);
	buf_clear(&l->in);
	if (l->said.len > SAID_MAX)
		buf_clear(&l->said);
}

bool ssh_link_alive(struct ssh_link *l)
{
	drain(l);
	return !ssh_process_ended(&l->agent);
}

void ssh_link_close(struct ssh_link *l)
{
	if (l == NULL)
		return;
	drain(l);
	(void)tell(l, "bye\n");
	ssh_process_end(&l->agent, CLOSE_LIMIT_NS);
	ssh_link_free(l);
}

void ssh_link_drop(struct ssh_link *l)
{
	if (l == NULL)
		return;
	ssh_process_end(&l->agent, 0);
	ssh_link_free(l);
}

void ssh_result_release(struct ssh_result *r)
{
	buf_release(&r->out);
	buf_release(&r->err);
	free(r->said);
	r->said = NULL;
}

/* One output of a session: its beginning up to a limit, and its end. */
struct capture {
	struct buf head, tail;
	size_t max;
	bool cut;
};

static void capture_add(struct capture *c, const char *data, size_t n)
{
	size_t room = c->max > c->head.len ? c->max - c->head.len : 0;
	size_t first = n < room ? n : room;

	buf_add(&c->head, data, first);
	if (n == first)
		return;
	c->cut = true;
	buf_add(&c->tail, data + first, n - first);
	if (c->tail.len > 4 * ANSWER_ROOM) {
		memmove(c->tail.data, c->tail.data + c->tail.len - ANSWER_ROOM, ANSWER_ROOM + 1);
		c->tail.len = ANSWER_ROOM;
	}
}

/* false: the end */
static bool capture_read(int *fd, struct capture *c)
{
	struct buf b = BUF_INIT;
	bool more = take(fd, &b);

	capture_add(c, buf_str(&b), b.len);
	buf_release(&b);
	return more;
}

static void capture_release(struct capture *c)
{
	buf_release(&c->head);
	buf_release(&c->tail);
}

struct running {
	struct ssh_process p;
	struct capture out, err;
	struct buf input;
	size_t sent, looked;
	int64_t until;
	bool ending, timed_out, enough;
};

/* Was the text of `enough` said by now? */
static bool said_enough(struct running *x, const char *enough)
{
	size_t n = enough == NULL ? 0 : strlen(enough);

	if (n == 0 || x->err.head.len - x->looked < n)
		return false;
	const char *from = x->err.head.data + x->looked;
	bool yes = memmem(from, x->err.head.len - x->looked, enough, n) != NULL;
	x->looked = x->err.head.len - n + 1;
	return yes;
}

/* Ends what runs there; what the session still says is waited for a while. */
static void end_work(struct ssh_link *l, struct running *x)
{
	(void)tell(l, "end\n");
	x->ending = true;
	x->until = clock_mono_ns() + SESSION_LIMIT_NS;
}

/* One turn of listening. 0: go on, 1: the session ended, negative: an error. */
static int turn(struct ssh_link *l, const struct ssh_session *q, struct running *x, struct err *err)
{
	struct pollfd p[5] = {{x->p.out, POLLIN, 0},
			      {x->p.err, POLLIN, 0},
			      {x->sent < x->input.len ? x->p.in : -1, POLLOUT, 0},
			      {l->agent.out, POLLIN, 0},
			      {l->agent.err, POLLIN, 0}};

	(void)poll(p, 5, TICK_MS);
	if (p[2].revents != 0 && !give(x->p.in, x->input.data, x->input.len, &x->sent))
		x->sent = x->input.len;
	if (x->sent >= x->input.len && x->p.in >= 0) {
		(void)close(x->p.in);
		x->p.in = -1;
	}
	if (p[0].revents != 0)
		(void)capture_read(&x->p.out, &x->out);
	if (p[1].revents != 0)
		(void)capture_read(&x->p.err, &x->err);
	if (p[3].revents != 0 || p[4].revents != 0)
		drain(l);
	if (x->p.out < 0 && x->p.err < 0)
		return 1;
	if (ssh_process_ended(&l->agent))
		return err_code(err, ERR_GONE, "the connection was lost");
	if (is_stopped(l) && !x->ending) {
		(void)tell(l, "end\n");
		return err_code(err, ERR_INTERRUPTED, "interrupted");
	}
	if (!x->ending && said_enough(x, q->enough)) {
		x->enough = true;
		end_work(l, x);
	} else if (clock_mono_ns() > x->until) {
		if (x->ending)
			return err_code(err, ERR_GONE, "the connection does not answer any more");
		x->timed_out = true;
		end_work(l, x);
	}
	return 0;
}

static void fill_result(struct ssh_link *l, struct running *x, struct ssh_result *r)
{
	const char *nonce = l->there.nonce;
	const char *out = ssh_output_start(buf_str(&x->out.head), x->out.head.len, nonce);

	r->timed_out = x->timed_out;
	r->enough = x->enough;
	r->truncated = x->out.cut || x->err.cut;
	if (out != NULL)
		buf_add(&r->out, out, x->out.head.len - (size_t)(out - x->out.head.data));
	/* a mark may lie across the cut, so both parts are read as one */
	if (x->err.cut)
		buf_add(&x->err.head, buf_str(&x->err.tail), x->err.tail.len);
	ssh_answer_read(buf_str(&x->err.head), x->err.head.len, nonce, &r->answer);
	if (r->answer.err_len > 0)
		buf_add(&r->err, x->err.head.data + r->answer.err_start, r->answer.err_len);
	r->said = ssh_explain(buf_str(&x->err.head), x->err.head.len);
}

int ssh_link_run(struct ssh_link *l, const struct ssh_session *q, struct ssh_result *r,
		 struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	struct running x = {
		.out = {.max = q->output_max + ANSWER_ROOM},
		.err = {.max = q->output_max + ANSWER_ROOM},
		.until = clock_mono_ns() + q->timeout_ns,
	};
	char *command = ssh_bootstrap(q->script->len);

	*r = (struct ssh_result){.said = mem_strdup("")};
	buf_add(&x.input, q->script->data, q->script->len);
	if (q->input != NULL)
		buf_add(&x.input, q->input, q->input_len);
	session_argv(l, command, &argv);
	free(command);
	r->start_ns = clock_mono_ns();
	int rc = ssh_process_start(&argv, l->there.run_id, &x.p, err);
	strvec_release(&argv);
	if (rc == 0) {
		while ((rc = turn(l, q, &x, err)) == 0)
			;
		r->end_ns = clock_mono_ns();
		ssh_process_end(&x.p, rc > 0 ? NS_PER_S : 0);
		rc = rc > 0 ? 0 : rc;
		free(r->said);
		fill_result(l, &x, r);
		if (rc == 0 && !r->answer.complete)
			rc = err_code(err, ERR_GONE, "%s",
				      strstr(r->said, "MaxSessions") != NULL
					      ? r->said
					      : "the connection was lost");
	}
	capture_release(&x.out);
	capture_release(&x.err);
	buf_release(&x.input);
	return rc;
}
