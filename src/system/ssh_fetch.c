#include "system/ssh_fetch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* what curl prints behind the page: status and times, in seconds */
#define TRAILER "\n@lampduel "

static void wget_argv(const struct fetch_request *q, struct strvec *argv)
{
	static const char *const words[] = {"wget", "-S", "-O", "-", "-U", "lampduel", "-T"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		strvec_push(argv, words[i]);
	strvec_pushf(argv, "%lld", (long long)(q->timeout_ns / NS_PER_S + 1));
	for (size_t i = 0; q->headers != NULL && i < q->headers->n; i++) {
		strvec_push(argv, "--header");
		strvec_push(argv, q->headers->v[i]);
	}
	strvec_push(argv, q->url); /* begins with http */
}

void ssh_fetch_argv(const struct fetch_request *q, bool curl, struct strvec *argv)
{
	static const char *const words[] = {
		"curl",
		"-q", /* first: no .curlrc */
		"-sS",
		"-i",
		"--http1.1",
		"--noproxy",
		"*",
		"-g",
		"-A",
		"lampduel",
		"-w",
		TRAILER "%{http_code} %{time_pretransfer} %{time_starttransfer} %{time_total}\n"};

	if (!curl) {
		wget_argv(q, argv);
		return;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		strvec_push(argv, words[i]);
	strvec_push(argv, "--max-time");
	strvec_pushf(argv, "%.3f", (double)q->timeout_ns / 1e9);
	if (strcmp(q->method, "GET") != 0) {
		strvec_push(argv, "-X");
		strvec_push(argv, q->method);
	}
	for (size_t i = 0; q->headers != NULL && i < q->headers->n; i++) {
		strvec_push(argv, "-H");
		strvec_push(argv, q->headers->v[i]);
	}
	strvec_push(argv, "--");
	strvec_push(argv, q->url);
}

/* Where the last trailer begins; NULL: there is none. */
static const char *find_trailer(const char *text, size_t len)
{
	const char *found = NULL;
	const char *at = text;

	while (len > 0 &&
	       (at = memmem(at, len - (size_t)(at - text), TRAILER, sizeof(TRAILER) - 1)) != NULL)
		found = at++;
	return found;
}

static bool read_trailer(const char *trailer, struct outcome *out)
{
	char t[3][32];
	double v[3];

	if (sscanf(trailer, TRAILER "%d %31s %31s %31s", &out->http_status, t[0], t[1], t[2]) != 4)
		return false;
	for (int i = 0; i < 3; i++) {
		/* before 7.61 milliseconds, and a comma where its language has one */
		char *comma = strchr(t[i], ',');
		if (comma != NULL)
			*comma = '.';
		if (!text_to_double(t[i], &v[i]))
			return false;
	}
	const char *point = strchr(t[2], '.');
	out->wall_step_ns = point != NULL && strlen(point) > 4 ? 1000 : NS_PER_MS;
	out->ttfb_ns = v[1] > v[0] ? (int64_t)((v[1] - v[0]) * 1e9) : 0;
	out->whole_ns = (int64_t)(v[2] * 1e9);
	out->end_ns = out->start_ns + (v[2] > v[0] ? (int64_t)((v[2] - v[0]) * 1e9) : 0);
	return true;
}

/* The page with its headers before it, and curl's own times behind it. */
static bool read_curl(const struct outcome *ran, struct outcome *out)
{
	const char *text = buf_str(&ran->out);
	const char *trailer = find_trailer(text, ran->out.len);

	if (trailer == NULL || !read_trailer(trailer, out))
		return false;
	size_t len = (size_t)(trailer - text);
	const char *body = memmem(text, len, "\r\n\r\n", 4);
	size_t head = body == NULL ? len : (size_t)(body - text) + 4;
	buf_add(&out->headers, text, head);
	buf_add(&out->out, text + head, len - head);
	return true;
}

/* Headers stand on standard error behind two blanks; after a redirect there are several sets. */
static bool read_wget(const struct outcome *ran, struct outcome *out)
{
	char *text = mem_strdup(buf_str(&ran->err));
	char *save = NULL;
	int status = 0;

	for (char *line = strtok_r(text, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!text_starts(line, "  ") || strchr(line, ':') == strchr(line, '/'))
			continue;
		line += 2;
		if (sscanf(line, "HTTP/%*s %d", &status) == 1 && out->http_status == 0)
			out->http_status = status;
		buf_addf(&out->headers, "%s\r\n", text_trim(line));
	}
	free(text);
	buf_add(&out->out, buf_str(&ran->out), ran->out.len);
	out->end_ns = ran->end_ns;
	out->wall_step_ns = ran->wall_step_ns;
	return out->http_status != 0;
}

void ssh_fetch_read(const struct fetch_request *q, bool curl, const struct outcome *ran,
		    struct outcome *out)
{
	out->start_ns = out->end_ns = ran->start_ns;
	/* wget fails on an HTTP error as well */
	bool read = !ran->truncated && (curl ? read_curl(ran, out) : read_wget(ran, out));
	if (out->http_status >= 300 && out->http_status < 400)
		outcome_fail(out, OUTCOME_FAILED, "the page: HTTP status %d, a redirect, not it",
			     out->http_status);
	else if (read && (out->http_status < 200 || out->http_status >= 300))
		outcome_fail(out, OUTCOME_FAILED, "the page: HTTP status %d", out->http_status);
	else if (ran->exit_code == 127)
		outcome_fail(out, OUTCOME_FAILED, "neither curl nor wget is there to ask with");
	else if (ran->status != OUTCOME_OK)
		outcome_fail(out, ran->status, "%s", ran->reason);
	else if (ran->truncated)
		outcome_fail(out, OUTCOME_INVALID, "the page is longer than %zu bytes",
			     q->body_max);
	else if (!read)
		outcome_fail(out, OUTCOME_INVALID, "what %s said cannot be read",
			     curl ? "curl" : "wget");
}
