/* What a session's standard error says. */
#include "system/ssh_script.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

/* Where "@NONCE WORD" stands at the beginning of a line, from `from` on; len: nowhere. */
static size_t find_mark(const char *text, size_t len, size_t from, const char *nonce,
			const char *word)
{
	char mark[64];
	int n = snprintf(mark, sizeof(mark), "@%s %s", nonce, word);

	for (size_t at = from; at < len;) {
		const char *p = memmem(text + at, len - at, mark, (size_t)n);
		if (p == NULL)
			return len;
		at = (size_t)(p - text);
		if (at == 0 || text[at - 1] == '\n')
			return at;
		at++;
	}
	return len;
}

static size_t line_end(const char *text, size_t len, size_t at)
{
	const char *p = at < len ? memchr(text + at, '\n', len - at) : NULL;

	return p == NULL ? len : (size_t)(p - text) + 1;
}

/* "1.234567", "1764554400123456789" or "12.34" to nanoseconds. */
static bool read_time(const char *s, bool whole_ns, int64_t *ns)
{
	size_t n = strspn(s, "0123456789");
	char digits[32];
	uint64_t whole = 0;
	uint64_t part = 0;

	if (n == 0 || n >= sizeof(digits))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	if (!text_to_u64(digits, &whole) || whole > INT64_MAX)
		return false;
	if (whole_ns && s[n] == '\0') {
		*ns = (int64_t)whole;
		return true;
	}
	if (s[n] != '.' || whole > INT64_MAX / NS_PER_S - 1)
		return false;
	size_t m = strspn(s + n + 1, "0123456789");
	if (m == 0 || m > 9 || s[n + 1 + m] != '\0')
		return false;
	for (size_t i = 0; i < 9; i++)
		part = part * 10 + (i < m ? (uint64_t)(s[n + 1 + i] - '0') : 0);
	*ns = (int64_t)whole * NS_PER_S + (int64_t)part;
	return true;
}

/* "0m1.230s" of times(1); *decimals: how many digits it has. */
static bool read_cpu(const char *s, int64_t *ns, size_t *decimals)
{
	char seconds[32];
	unsigned long minutes = 0;
	int used = 0;

	if (sscanf(s, "%9lum%20[0-9.]s%n", &minutes, seconds, &used) != 2 || used == 0 ||
	    !read_time(seconds, false, ns))
		return false;
	*ns += (int64_t)minutes * 60 * NS_PER_S;
	*decimals = strlen(strchr(seconds, '.') + 1);
	return true;
}

/* The second line of times: the children's. */
static bool read_children(const char *text, size_t len, size_t at, int64_t *user, int64_t *sys,
			  size_t *decimals)
{
	size_t second = line_end(text, len, at);
	size_t end = line_end(text, len, second);
	char *line = mem_strndup(text + second, end - second);
	char a[64];
	char b[64];
	bool ok = sscanf(line, "%63s %63s", a, b) == 2 && read_cpu(a, user, decimals) &&
		  read_cpu(b, sys, decimals);

	free(line);
	return ok;
}

static void read_cpu_times(const char *text, size_t len, size_t head, size_t times,
			   struct ssh_answer *a)
{
	int64_t u0 = 0;
	int64_t s0 = 0;
	int64_t u1 = 0;
	int64_t s1 = 0;
	size_t decimals = 0;

	if (head >= len || times >= len ||
	    !read_children(text, len, line_end(text, len, head), &u0, &s0, &decimals) ||
	    !read_children(text, len, line_end(text, len, times), &u1, &s1, &decimals) || u1 < u0 ||
	    s1 < s0)
		return;
	a->user_ns = u1 - u0;
	a->sys_ns = s1 - s0;
	/* bash reads getrusage() and prints milliseconds; others count ticks of 10 ms */
	a->cpu_step_ns = decimals == 3 ? NS_PER_MS : 10 * NS_PER_MS;
}

static void read_end(const char *line, struct ssh_answer *a)
{
	char t[4][40];
	int64_t ns[4] = {0};

	if (sscanf(line, "%*s end %d %39s %39s %39s %39s", &a->status, t[0], t[1], t[2], t[3]) != 5)
		return;
	bool up = read_time(t[2], false, &ns[2]) && read_time(t[3], false, &ns[3]);
	a->uptime_ns = up && ns[3] >= ns[2] ? ns[3] - ns[2] : -1;
	if (strcmp(t[0], "0") == 0 && strcmp(t[1], "0") == 0) {
		a->wall_ns = a->uptime_ns;
		a->ended = up;
	} else if (read_time(t[0], true, &ns[0]) && read_time(t[1], true, &ns[1])) {
		a->wall_ns = ns[1] - ns[0];
		a->ended = true;
	}
}

void ssh_answer_read(const char *text, size_t len, const char *nonce, struct ssh_answer *a)
{
	static const char *const refusals[] = {"none", "folder"};
	size_t head = find_mark(text, len, 0, nonce, "head");
	size_t begin = find_mark(text, len, 0, nonce, "begin");
	size_t times = find_mark(text, len, begin, nonce, "times");
	size_t end = find_mark(text, len, times, nonce, "end ");
	size_t done = find_mark(text, len, 0, nonce, "exit ");

	*a = (struct ssh_answer){.uptime_ns = -1};
	for (size_t i = 0; i < 2; i++) {
		if (find_mark(text, len, 0, nonce, refusals[i]) < len) {
			strcpy(a->refused, refusals[i]);
			a->complete = true;
		}
	}
	a->began = begin < len;
	a->err_start = line_end(text, len, begin < len ? begin : head);
	size_t stop = times < len ? times : done;
	a->err_len = stop > a->err_start ? stop - a->err_start : 0;
	/* the newline before a mark is ours */
	if (stop < len && a->err_len > 0)
		a->err_len--;
	if (end < len) {
		char *line = mem_strndup(text + end, line_end(text, len, end) - end);
		read_end(line, a);
		free(line);
		read_cpu_times(text, len, head, times, a);
	}
	if (done < len) {
		int status = 0;
		char *line = mem_strndup(text + done, line_end(text, len, done) - done);
		if (sscanf(line, "%*s exit %d", &status) == 1) {
			a->complete = true;
			if (!a->ended)
				a->status = status;
		}
		free(line);
	}
}

const char *ssh_output_start(const char *text, size_t len, const char *nonce)
{
	char mark[32];
	int n = snprintf(mark, sizeof(mark), "@%s\n", nonce);
	const char *at = len == 0 ? NULL : memmem(text, len, mark, (size_t)n);

	return at == NULL ? NULL : at + n;
}
