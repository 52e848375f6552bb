/* mysqlslap and mariadb-slap: seconds for all queries. */
#include <stdio.h>
#include <string.h>

#include "parse/batch.h"

struct mysqlslap {
	struct batch b;
	double clients;
	char engine[24];
};

static void mysqlslap_end(struct mysqlslap *m, struct parse_ctx *ctx)
{
	if (m->clients > 0)
		batch_condition(&m->b, "clients", "%.0f", m->clients);
	if (m->engine[0] != '\0')
		batch_condition(&m->b, "engine", "%s", m->engine);
	batch_end(&m->b, ctx);
	m->clients = 0;
	m->engine[0] = '\0';
}

enum mysqlslap_key { KEY_MEAN, KEY_MIN, KEY_MAX, KEY_CLIENTS, KEY_QUERIES, KEY_ENGINE };

static const struct key keys[] = {
	{"Average number of seconds to run all queries:", KEY_MEAN},
	{"Minimum number of seconds to run all queries:", KEY_MIN},
	{"Maximum number of seconds to run all queries:", KEY_MAX},
	{"Number of clients running queries:", KEY_CLIENTS},
	{"Average number of queries per client:", KEY_QUERIES},
	{"Running for engine ", KEY_ENGINE},
	{NULL, 0},
};

static long mysqlslap_read(void *state, struct parse_ctx *ctx, const struct piece *p)
{
	static const char *const metrics[] = {"mysqlslap/run/time", "mysqlslap/run/time.min",
					      "mysqlslap/run/time.max"};
	struct mysqlslap *m = state;
	const char *s = NULL, *at;
	int key = num_key(keys, p->s, &s);
	struct num n;

	if (key < 0)
		return READER_NONE;
	at = num_skip(s);
	if (key == KEY_ENGINE) {
		if (m->b.n > 0)
			mysqlslap_end(m, ctx);
		batch_touch(&m->b, ctx);
		snprintf(m->engine, sizeof(m->engine), "%.*s", (int)strcspn(at, " \t;"), at);
		return at + strcspn(at, " \t") - p->s;
	}
	if (*at == '\0' && !p->last)
		return READER_MORE;
	if (key == KEY_CLIENTS || key == KEY_QUERIES) {
		if (!num_scan(at, 0, &n))
			return READER_NONE;
		if (key == KEY_CLIENTS)
			m->clients = n.value;
		return n.end - p->s;
	}
	if (!num_scan_time(at, &n))
		return !p->last && num_is_digit(*at) && strlen(at) < 20 ? READER_MORE : READER_NONE;
	if (key == KEY_MEAN && m->b.n > 0)
		mysqlslap_end(m, ctx);
	batch_add(&m->b, ctx, metrics[key], "s", n.value, n.step, piece_line(p, at));
	return n.end - p->s;
}

static void mysqlslap_finish(void *state, struct parse_ctx *ctx)
{
	mysqlslap_end(state, ctx);
}

static const char *const mysqlslap_starts[] = {
	"Average number of seconds", "Minimum number of seconds", "Maximum number of seconds",
	"Number of clients running", "Running for engine ",       NULL,
};

const struct reader mysqlslap_reader = {
	.name = "mysqlslap",
	.starts = mysqlslap_starts,
	.first = "AMNR",
	.state_size = sizeof(struct mysqlslap),
	.read = mysqlslap_read,
	.boundary = mysqlslap_finish,
	.finish = mysqlslap_finish,
};
