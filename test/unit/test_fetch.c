/* Fetching from a small server of our own that answers as told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "system/fetch.h"

struct piece {
	const char *data;
	size_t len;
	int delay_ms; /* before it */
};

/* Answers one request with pieces, then closes; endless repeats the last one. */
struct server {
	int fd, port;
	pthread_t thread;
	struct piece pieces[4];
	bool endless, hold;
	char request[4096];
};

static void *serve(void *arg)
{
	struct server *sv = arg;
	int fd = accept(sv->fd, NULL, NULL);
	size_t len = 0;

	while (len < sizeof(sv->request) - 1) {
		ssize_t n = recv(fd, sv->request + len, sizeof(sv->request) - 1 - len, 0);
		if (n <= 0)
			break;
		len += (size_t)n;
		if (strstr(sv->request, "\r\n\r\n") != NULL)
			break;
	}
	for (int i = 0; i < 4 && sv->pieces[i].data != NULL; i++) {
		(void)usleep((useconds_t)sv->pieces[i].delay_ms * 1000);
		ssize_t n = 0;
		do {
			n = send(fd, sv->pieces[i].data, sv->pieces[i].len, MSG_NOSIGNAL);
		} while (n > 0 && sv->endless && (i == 3 || sv->pieces[i + 1].data == NULL) &&
			 usleep(1000) == 0);
	}
	char byte = 0;
	if (sv->hold) /* keeps the connection open until the client leaves */
		(void)recv(fd, &byte, 1, 0);
	(void)close(fd);
	return NULL;
}

static void server_start(struct server *sv)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	sv->fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(sv->fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(sv->fd, 4), 0);
	assert_int_equal(getsockname(sv->fd, (struct sockaddr *)&a, &len), 0);
	sv->port = ntohs(a.sin_port);
	assert_int_equal(pthread_create(&sv->thread, NULL, serve, sv), 0);
}

static void server_end(struct server *sv)
{
	(void)pthread_join(sv->thread, NULL);
	(void)close(sv->fd);
}

#define TEXT(s) s, sizeof(s) - 1

static struct fetch_request request(const struct server *sv)
{
	return (struct fetch_request){.method = "GET",
				      .port = sv->port,
				      .host = "example.test",
				      .path = "/?p=1&a=/../b",
				      .timeout_ns = 5 * NS_PER_S,
				      .body_max = 10000};
}

static void fetch_it(struct server *sv, struct fetch_request q, struct outcome *out)
{
	struct err err = ERR_INIT;

	assert_int_equal(fetch_page(&q, NULL, out, &err), 0);
	server_end(sv);
}

static void test_page(void **state)
{
	struct server sv = {.pieces = {{TEXT("HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n"
					     "\r\n"),
					100},
				       {TEXT("a\0b"), 100},
				       {TEXT("cd"), 100}},
			    .hold = true};
	struct outcome out;
	struct strvec headers = STRVEC_INIT;

	(void)state;
	/* what the environment says of proxies is not for us */
	assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
	assert_int_equal(setenv("all_proxy", "http://127.0.0.1:1", 1), 0);
	strvec_push(&headers, "Cookie: x=y");
	server_start(&sv);
	struct fetch_request q = request(&sv);
	q.headers = &headers;
	fetch_it(&sv, q, &out);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_int_equal(out.http_status, 200);
	assert_int_equal(out.out.len, 5);
	assert_memory_equal(out.out.data, "a\0bcd", 5);
	assert_string_equal(buf_str(&out.headers),
			    "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 5\r\n\r\n");
	assert_true(text_starts(sv.request, "GET /?p=1&a=/../b HTTP/1.1\r\n"));
	assert_non_null(strstr(sv.request, "\r\nHost: example.test\r\n"));
	assert_non_null(strstr(sv.request, "\r\nCookie: x=y\r\n"));
	assert_null(strstr(sv.request, "Accept-Encoding"));
	int64_t total = out.end_ns - out.start_ns;
	/* on a busy machine each of these comes late, and the first may come the latest */
	assert_true(total >= 298 * NS_PER_MS && total < 20 * NS_PER_S);
	assert_true(out.ttfb_ns >= 98 * NS_PER_MS && out.ttfb_ns < total);
	outcome_release(&out);
	strvec_release(&headers);
}

static void expect(struct server *sv, struct fetch_request q, enum outcome_status status,
		   int http_status, const char *reason)
{
	struct outcome out;

	fetch_it(sv, q, &out);
	assert_int_equal(out.status, status);
	assert_int_equal(out.http_status, http_status);
	assert_string_equal(out.reason, reason);
	outcome_release(&out);
}

static void test_refused_answers(void **state)
{
	(void)state;
	{
		struct server sv = {.pieces = {{TEXT("HTTP/1.1 302 Found\r\nLocation: /\r\n"
						     "Content-Length: 0\r\n\r\n"),
						0}}};
		server_start(&sv);
		expect(&sv, request(&sv), OUTCOME_FAILED, 302,
		       "/?p=1&a=/../b: HTTP status 302, a redirect, not the page");
	}
	{
		struct server sv = {
			.pieces = {{TEXT("HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nabc"), 0}}};
		server_start(&sv);
		expect(&sv, request(&sv), OUTCOME_FAILED, 500, "/?p=1&a=/../b: HTTP status 500");
	}
	{
		struct server sv = {
			.pieces = {{TEXT("HTTP/1.1 200 OK\r\n\r\naaaaaaaaaaaaaaaaaaaaaa"), 0}},
			.endless = true};
		server_start(&sv);
		expect(&sv, request(&sv), OUTCOME_INVALID, 200,
		       "/?p=1&a=/../b: the answer is longer than 10000 bytes");
	}
	{
		struct server sv = {
			.pieces = {{TEXT("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), 0}}};
		struct outcome out;
		server_start(&sv);
		fetch_it(&sv, request(&sv), &out);
		assert_int_equal(out.status, OUTCOME_FAILED); /* cut off */
		outcome_release(&out);
	}
	{
		struct server sv = {.pieces = {{TEXT("no http\n\n"), 0}}};
		struct outcome out;
		server_start(&sv);
		fetch_it(&sv, request(&sv), &out);
		assert_int_equal(out.status, OUTCOME_FAILED);
		outcome_release(&out);
	}
}

static void test_endless(void **state)
{
	struct server sv = {.pieces = {{TEXT("HTTP/1.1 200 OK\r\n\r\n"), 0}, {TEXT("."), 0}},
			    .endless = true};
	int64_t before = clock_mono_ns();

	(void)state;
	server_start(&sv);
	struct fetch_request q = request(&sv);
	q.timeout_ns = 300 * NS_PER_MS;
	expect(&sv, q, OUTCOME_TIMEOUT, 200, "/?p=1&a=/../b: not complete within 0.3 s");
	assert_true(clock_mono_ns() - before < 3 * NS_PER_S);
}

static void test_endless_headers(void **state)
{
	struct server sv = {
		.pieces = {{TEXT("HTTP/1.1 200 OK\r\n"), 0},
			   {TEXT("X-Long: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"), 0}},
		.endless = true};
	struct outcome out;

	(void)state;
	server_start(&sv);
	struct fetch_request q = request(&sv);
	q.timeout_ns = 500 * NS_PER_MS;
	fetch_it(&sv, q, &out);
	assert_int_not_equal(out.status, OUTCOME_OK);
	outcome_release(&out);
}

static void test_no_server(void **state)
{
	struct server sv = {0};
	struct outcome out;
	struct err err = ERR_INIT;

	(void)state;
	server_start(&sv); /* to have a port that is free afterwards */
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)sv.port)};
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	(void)close(fd);
	server_end(&sv);
	struct fetch_request q = request(&sv);
	assert_int_equal(fetch_page(&q, NULL, &out, &err), 0);
	assert_int_equal(out.status, OUTCOME_FAILED);
	char *reason = mem_printf("/?p=1&a=/../b: no server answers on port %d", sv.port);
	assert_string_equal(out.reason, reason);
	free(reason);
	outcome_release(&out);
	q.path = "/a b\r\nX: y";
	assert_int_equal(fetch_page(&q, NULL, &out, &err), 0);
	assert_int_equal(out.status, OUTCOME_INVALID);
	outcome_release(&out);
}

static void test_purge(void **state)
{
	struct server sv = {
		.pieces = {{TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 0}}};
	struct outcome out;

	(void)state;
	server_start(&sv);
	struct fetch_request q = request(&sv);
	q.method = "PURGE";
	q.path = "/";
	fetch_it(&sv, q, &out);
	assert_int_equal(out.status, OUTCOME_OK);
	assert_true(text_starts(sv.request, "PURGE / HTTP/1.1\r\n"));
	outcome_release(&out);
}

static volatile int stop_flag;

static void on_alarm(int sig)
{
	(void)sig;
	stop_flag = 1;
}

static void test_interrupt(void **state)
{
	struct server sv = {.pieces = {{TEXT("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), 0}},
			    .hold = true};
	struct outcome out;
	struct err err = ERR_INIT;
	int64_t before = clock_mono_ns();

	(void)state;
	(void)signal(SIGALRM, on_alarm);
	server_start(&sv);
	struct fetch_request q = request(&sv);
	q.timeout_ns = 60 * NS_PER_S;
	(void)alarm(1);
	assert_int_equal(fetch_page(&q, &stop_flag, &out, &err), ERR_INTERRUPTED);
	assert_true(clock_mono_ns() - before < 5 * NS_PER_S);
	outcome_release(&out);
	server_end(&sv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page),      cmocka_unit_test(test_refused_answers),
		cmocka_unit_test(test_endless),   cmocka_unit_test(test_endless_headers),
		cmocka_unit_test(test_no_server), cmocka_unit_test(test_purge),
		cmocka_unit_test(test_interrupt),
	};

	return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
