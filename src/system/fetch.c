#include "system/fetch.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"

enum { HEADERS_MAX = 256 * 1024 };

struct transfer {
	const struct fetch_request *q;
	const volatile int *stop;
	struct outcome *out;
	bool too_long;
};

static void global_init(void)
{
	(void)curl_global_init(CURL_GLOBAL_NOTHING);
}

static size_t on_header(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	int64_t now = clock_mono_ns();

	if (t->out->headers.len == 0)
		t->out->ttfb_ns = now - t->out->start_ns;
	t->out->end_ns = now;
	if (size * n > HEADERS_MAX - t->out->headers.len) {
		t->too_long = true;
		return 0;
	}
	buf_add(&t->out->headers, data, size * n);
	return size * n;
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;

	t->out->end_ns = clock_mono_ns();
	if (size * n > t->q->body_max - t->out->out.len) {
		t->too_long = true;
		return 0;
	}
	buf_add(&t->out->out, data, size * n);
	return size * n;
}

static int on_progress(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct transfer *t = arg;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return t->stop != NULL && *t->stop != 0;
}

#if LIBCURL_VERSION_NUM >= 0x075000
static int on_connected(void *arg, char *a, char *b, int c, int d)
{
	struct transfer *t = arg;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	t->out->start_ns = clock_mono_ns();
	return CURL_PREREQFUNC_OK;
}
#endif

static bool is_clean(const char *s)
{
	for (; *s != '\0'; s++) {
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return false;
	}
	return true;
}

static struct curl_slist *request_headers(const struct fetch_request *q)
{
	struct curl_slist *list = NULL;
	char *host = mem_printf("Host: %s", q->host == NULL ? "localhost" : q->host);

	if (q->url == NULL)
		list = curl_slist_append(list, host);
	list = curl_slist_append(list, "Connection: close");
	for (size_t i = 0; q->headers != NULL && i < q->headers->n; i++)
		list = curl_slist_append(list, q->headers->v[i]);
	if (list == NULL)
		mem_exhausted();
	free(host);
	return list;
}

static void set_options(CURL *c, struct transfer *t, const char *url, struct curl_slist *headers,
			char *message)
{
	const struct fetch_request *q = t->q;
	long ms = (long)((q->timeout_ns + NS_PER_MS - 1) / NS_PER_MS);

	(void)curl_easy_setopt(c, CURLOPT_URL, url);
#if LIBCURL_VERSION_NUM >= 0x075500
	(void)curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, q->url == NULL ? "http" : "http,https");
#else
	(void)curl_easy_setopt(
		c, CURLOPT_PROTOCOLS,
		(long)(q->url == NULL ? CURLPROTO_HTTP : CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	(void)curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	(void)curl_easy_setopt(c, CURLOPT_HTTP09_ALLOWED, 0L);
	(void)curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
	(void)curl_easy_setopt(c, CURLOPT_PROXY, "");
	(void)curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
	(void)curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	(void)curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
	(void)curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
	(void)curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, ms);
	(void)curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, ms);
	(void)curl_easy_setopt(c, CURLOPT_USERAGENT, "lampduel");
	(void)curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	(void)curl_easy_setopt(c, CURLOPT_ERRORBUFFER, message);
	(void)curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	(void)curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
	(void)curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	(void)curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
	(void)curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
	(void)curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
	(void)curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
#if LIBCURL_VERSION_NUM >= 0x075000
	(void)curl_easy_setopt(c, CURLOPT_PREREQFUNCTION, on_connected);
	(void)curl_easy_setopt(c, CURLOPT_PREREQDATA, t);
#endif
	if (strcmp(q->method, "HEAD") == 0)
		(void)curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
	else if (strcmp(q->method, "GET") != 0)
		(void)curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, q->method);
}

static void judge(const struct transfer *t, CURLcode code, const char *message)
{
	const struct fetch_request *q = t->q;
	struct outcome *out = t->out;
	char *path = text_escaped(q->url == NULL ? q->path : "the page");
	char *why = text_escaped(message[0] == '\0' ? curl_easy_strerror(code) : message);

	if (t->too_long)
		outcome_fail(out, OUTCOME_INVALID, "%s: the answer is longer than %zu bytes", path,
			     q->body_max);
	else if (code == CURLE_OPERATION_TIMEDOUT)
		outcome_fail(out, OUTCOME_TIMEOUT, "%s: not complete within %.3g s", path,
			     (double)q->timeout_ns / 1e9);
	else if (code == CURLE_COULDNT_CONNECT && q->url == NULL)
		outcome_fail(out, OUTCOME_FAILED, "%s: no server answers on port %d", path,
			     q->port);
	else if (code != CURLE_OK)
		outcome_fail(out, OUTCOME_FAILED, "%s: %s", path, why);
	else if (out->http_status >= 300 && out->http_status < 400)
		outcome_fail(out, OUTCOME_FAILED, "%s: HTTP status %d, a redirect, not the page",
			     path, out->http_status);
	else if (out->http_status < 200 || out->http_status >= 300)
		outcome_fail(out, OUTCOME_FAILED, "%s: HTTP status %d", path, out->http_status);
	free(path);
	free(why);
}

int fetch_page(const struct fetch_request *q, const volatile int *stop, struct outcome *out,
	       struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct transfer t = {.q = q, .stop = stop, .out = out};
	char message[CURL_ERROR_SIZE] = "";
	long status = 0;

	*out = (struct outcome){.status = OUTCOME_OK};
	if (stop != NULL && *stop != 0)
		return err_code(err, ERR_INTERRUPTED, "interrupted");
	const char *where = q->url == NULL ? q->path : q->url;
	if ((q->url == NULL && where[0] != '/') || !is_clean(where) || !is_clean(q->method) ||
	    q->timeout_ns <= 0) {
		outcome_fail(out, OUTCOME_INVALID, "no request that can be sent");
		return 0;
	}
	(void)pthread_once(&once, global_init);
	CURL *c = curl_easy_init();
	if (c == NULL)
		mem_exhausted();
	char *url = q->url != NULL ? mem_strdup(q->url)
				   : mem_printf("http://127.0.0.1:%d%s", q->port, q->path);
	struct curl_slist *headers = request_headers(q);
	set_options(c, &t, url, headers, message);
	int64_t before = clock_mono_ns();
	out->start_ns = before;
	out->end_ns = before;
	CURLcode code = curl_easy_perform(c);
#if LIBCURL_VERSION_NUM < 0x075000
	curl_off_t sent = 0;
	(void)curl_easy_getinfo(c, CURLINFO_PRETRANSFER_TIME_T, &sent);
	out->start_ns = before + sent * 1000;
	out->ttfb_ns -= out->ttfb_ns > sent * 1000 ? sent * 1000 : out->ttfb_ns;
#endif
	(void)curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	out->http_status = (int)status;
	if (out->end_ns < out->start_ns)
		out->end_ns = out->start_ns;
	out->whole_ns = out->end_ns - before;
	int rc = 0;
	if (code == CURLE_ABORTED_BY_CALLBACK)
		rc = err_code(err, ERR_INTERRUPTED, "interrupted");
	else
		judge(&t, code, message);
	curl_slist_free_all(headers);
	curl_easy_cleanup(c);
	free(url);
	return rc;
}
