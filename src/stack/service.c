#include "stack/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { LOG_MAX = 8 << 20, WORDS_MAX = 300 };

#define POLL_FIRST_NS (4 * NS_PER_MS)
#define POLL_LAST_NS (50 * NS_PER_MS)

static bool holds(const char *line, size_t len, const char *word)
{
	return memmem(line, len, word, strlen(word)) != NULL;
}

/* What made the other lines: a full disk, whatever a server takes it for afterwards. */
static bool is_cause_line(const char *line, size_t n)
{
	return holds(line, n, "No space left on device") || holds(line, n, "error 28") ||
	       holds(line, n, "errno: 28") || holds(line, n, "Errcode: 28");
}

/* Servers end with lines of farewell; what went wrong stands above them. */
static bool is_error_line(const char *line, size_t n)
{
	static const char *const marks[] = {
		"[ERROR]",      ":error]", ":emerg]",   ":crit]", "ERROR",
		"Syntax error", "Fatal",   "Assertion", "AH00",   NULL};

	if (holds(line, n, "Aborting") || holds(line, n, "AH00015"))
		return false;
	for (const char *const *m = marks; *m != NULL; m++) {
		if (holds(line, n, *m))
			return true;
	}
	return false;
}

char *service_last_words(const char *log, size_t len)
{
	const char *best = NULL;
	size_t best_len = 0;
	bool best_is_error = false;

	for (size_t at = 0; at < len;) {
		const char *line = log + at;
		const char *end = memchr(line, '\n', len - at);
		size_t n = end == NULL ? len - at : (size_t)(end - line);

		at += n + 1;
		while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == ' '))
			n--;
		if (is_cause_line(line, n)) {
			best = line;
			best_len = n;
			break;
		}
		bool is_error = is_error_line(line, n);
		if (n == 0 || (best_is_error && !is_error))
			continue;
		best = line;
		best_len = n;
		best_is_error = is_error;
	}
	struct buf b = BUF_INIT;
	if (best != NULL)
		text_escape(&b, best, best_len > WORDS_MAX ? WORDS_MAX : best_len);
	return buf_detach(&b);
}

int stack_run(struct system *s, const struct step *step, const struct strvec *argv,
	      const struct strvec *env, const void *input, size_t input_len, int64_t timeout_ns,
	      struct outcome *out, struct err *err)
{
	struct exec_request q = {.argv = argv,
				 .env = env,
				 .input = input,
				 .input_len = input_len,
				 .timeout_ns = timeout_ns};
	int rc = system_exec(s, step, &q, out, err);

	if (rc != 0)
		return rc;
	if (out->status == OUTCOME_OK)
		return 0;
	/* the reason has the last line of stderr; what stands on stdout alone is added */
	char *words = out->err.len > 0 ? mem_strdup("")
				       : service_last_words(buf_str(&out->out), out->out.len);
	rc = err_set(err, "%s%s%s",
		     out->reason != NULL ? out->reason : outcome_status_name(out->status),
		     *words != '\0' ? "; it said: " : "", words);
	free(words);
	return rc;
}

int service_start(struct system *s, const struct step *step, struct service *v,
		  const struct strvec *argv, const struct strvec *env, const char *log,
		  struct err *err)
{
	struct step sub = step_below(step, v->name);
	struct exec_request q = {.argv = argv, .env = env, .timeout_ns = NS_PER_S};

	mem_replace(&v->log, mem_strdup(log));
	int rc = system_spawn(s, &sub, &q, log, &v->id, err);
	if (rc != 0) {
		v->id = 0;
		(void)err_wrap(err, "%s of %s", v->name, s->name);
	}
	step_release(&sub);
	return rc;
}

int service_check(struct system *s, const struct step *step, struct service *v, struct err *err)
{
	const char *how = NULL;
	struct buf log = BUF_INIT;
	struct err ignored = ERR_INIT;

	if (v->id == 0)
		return err_set(err, "%s of %s is not running", v->name, s->name);
	if (system_alive(s, v->id, &how))
		return 0;
	struct step sub = step_below(step, "last-words");
	(void)system_get(s, &sub, v->log, LOG_MAX, &log, &ignored);
	step_release(&sub);
	char *words = service_last_words(buf_str(&log), log.len);
	int rc = err_code(err, ERR_GONE, "%s of %s ended (%s); its log says: %s", v->name, s->name,
			  how != NULL ? how : "not known how", *words != '\0' ? words : "nothing");
	free(words);
	buf_release(&log);
	return rc;
}

int service_stop(struct system *s, const struct step *step, struct service *v, int64_t grace_ns,
		 struct err *err)
{
	if (v->id == 0)
		return 0;
	struct step sub = step_below(step, v->name);
	int rc = system_stop(s, &sub, v->id, grace_ns, err);
	if (rc != 0)
		(void)err_wrap(err, "stopping %s of %s", v->name, s->name);
	v->id = 0;
	step_release(&sub);
	return rc;
}

void service_release(struct service *v)
{
	mem_replace(&v->log, NULL);
	v->id = 0;
}

int service_wait(struct stack *st, const struct step *step, struct service *v,
		 service_ready_fn *ready, int64_t limit_ns, struct err *err)
{
	struct system *s = st->system;
	int64_t end = clock_now_ns(s->clock) + limit_ns;
	int64_t pause = POLL_FIRST_NS;

	for (int asked = 1;; asked++) {
		char what[64];

		(void)snprintf(what, sizeof(what), "%s-ready/%d", v->name, asked);
		struct step sub = step_below(step, what);
		int rc = ready(st, &sub, err);
		step_release(&sub);
		if (rc < 0)
			return rc;
		/* also after a yes: another process may have answered in its place */
		int alive = service_check(s, step, v, err);
		if (alive != 0 || rc > 0)
			return alive;
		if (s->stop != NULL && *s->stop != 0)
			return err_code(err, ERR_INTERRUPTED, "interrupted");
		if (clock_now_ns(s->clock) >= end)
			return err_code(err, ERR_TIMEOUT, "%s of %s did not answer within %lld s",
					v->name, s->name, (long long)(limit_ns / NS_PER_S));
		clock_sleep_ns(s->clock, pause);
		pause = pause * 3 / 2 < POLL_LAST_NS ? pause * 3 / 2 : POLL_LAST_NS;
	}
}
