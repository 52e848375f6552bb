#include "example.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

void example_head(struct experiment *e, const char *kind, const char *title, int rounds)
{
	*e = (struct experiment){
		.title = mem_strdup(title),
		.state = mem_strdup("complete"),
		.kind = mem_strdup(kind),
		.command = mem_strdup("lampduel run -b soft -c hard"),
		.version = mem_strdup("0.1.0"),
		.plan = mem_strdup("{\"rounds\": 15}"),
		.seed = UINT64_C(9007199254740991),
		.rounds_planned = rounds,
		.warmup_rounds = 1,
		.lives = rounds,
		.created_unix_ns = INT64_C(1796000000) * NS_PER_S,
		.ended_unix_ns = INT64_C(1796000800) * NS_PER_S,
	};
}

size_t example_system(struct experiment *e, const char *name, const char *target, bool emulated)
{
	struct exp_system *s = vec_add(&e->systems);

	s->name = mem_strdup(name);
	s->target = mem_strdup(target);
	s->baseline = e->systems.n == 1;
	s->emulated = emulated;
	s->emulator = mem_strdup(emulated ? "qemu-arm 7.2.22, -cpu cortex-a7" : "");
	return e->systems.n - 1;
}

size_t example_task(struct experiment *e, const char *workload, const char *name,
		    const char *params)
{
	struct exp_task *t = vec_add(&e->tasks);

	t->workload = mem_strdup(workload);
	t->name = mem_strdup(name);
	t->params = mem_strdup(params);
	return e->tasks.n - 1;
}

size_t example_metric(struct experiment *e, const char *name, const char *unit,
		      const char *conditions, bool primary)
{
	struct exp_metric *m = vec_add(&e->metrics);

	m->name = mem_strdup(name);
	m->unit = mem_strdup(unit);
	m->direction = metric_direction_of_unit(unit);
	m->conditions = mem_strdup(conditions);
	m->primary = primary;
	return e->metrics.n - 1;
}

struct exp_execution *example_execution(struct experiment *e, int round, size_t task, size_t system,
					int attempt)
{
	int64_t at = (int64_t)e->executions.n * 5 * NS_PER_S;
	struct exp_execution *x = vec_add(&e->executions);

	x->round = round;
	x->task = task;
	x->system = system;
	x->life = round;
	x->position = (int)system + 1;
	x->attempt = attempt;
	x->start_ns = at;
	x->end_ns = at + 4 * NS_PER_S;
	x->unix_ns = e->created_unix_ns + at;
	x->status = OUTCOME_OK;
	x->reason = mem_strdup("");
	x->disturbance = mem_strdup("{}");
	return x;
}

struct exp_value *example_value(struct exp_execution *x, size_t metric, double value, double step)
{
	struct exp_value *v = vec_add(&x->values);

	v->metric = metric;
	v->value = value;
	v->step = step;
	v->n = 1;
	return v;
}

static const struct {
	const char *workload, *task, *params;
	const char *metric, *unit, *conditions;
	double soft, hard, step;
} reference[] = {
	{"wordpress", "wordpress/opcache-on", "{\"opcache\": \"on\", \"requests\": 5}",
	 "wordpress/page/generate", "s", "cache=purged;opcache=on;requests=5", 1.7012, 1.4891,
	 1e-4},
	{"wordpress", "wordpress/opcache-off", "{\"opcache\": \"off\", \"requests\": 2}",
	 "wordpress/page/generate", "s", "cache=purged;opcache=off;requests=2", 5.9, 5.2, 1e-4},
	{"mariadb", "mariadb/benchmark.encode",
	 "{\"expression\": \"ENCODE('praise','bob')\", \"count\": 1000000}",
	 "mariadb/benchmark.encode/time", "s/op",
	 "clock=server;count=1000000;expression=encode('praise','bob')", 3.03e-6, 1.02e-6, 1e-12},
	{"openssl", "openssl/rsa2048", "{\"algorithm\": \"rsa2048\", \"seconds\": 3}",
	 "openssl/rsa2048/sign", "op/s", "clock=user;seconds=3", 39.7, 53.3, 0.13},
	{"openssl", "openssl/rsa2048", NULL, "openssl/rsa2048/verify", "op/s",
	 "clock=user;seconds=3", 1482.2, 2097.9, 0.5},
	{"openssl", "openssl/rsa4096", "{\"algorithm\": \"rsa4096\", \"seconds\": 10}",
	 "openssl/rsa4096/sign", "op/s", "clock=user;seconds=10", 5.8014, 8.0517, 0.01},
	{"openssl", "openssl/rsa4096", NULL, "openssl/rsa4096/verify", "op/s",
	 "clock=user;seconds=10", 389.7, 561.0, 0.05},
};

enum { REFERENCE_N = sizeof(reference) / sizeof(reference[0]) };

static void reference_facts(struct factset *f, const char *arch, const char *abi)
{
	factset_set(f, "arch", arch, "target");
	factset_set(f, "os.name", "Debian GNU/Linux 12 (bookworm)", "/etc/os-release");
	factset_set(f, "apache.version", "2.4.62", "apache2 -v");
	factset_set(f, "mariadb.version", "10.11.14", "mariadbd --version");
	factset_set(f, "php.version", "8.2.29", "php -v");
	factset_set(f, "openssl.version", "3.0.17", "openssl version");
	factset_set(f, "wordpress.version", "6.1.6", "stack");
	factset_set(f, "kernel.release", "6.1.0-40-amd64", "uname -r");
	factset_set(f, "kernel.shared", "yes", "target");
	factset_set(f, "storage.device", "virtio disk", "/sys/block");
	factset_set(f, "storage.filesystem", "ext4", "/proc/mounts");
	factset_set(f, "cpu.model", "ARMv7 Processor rev 5 (v7l)", "/proc/cpuinfo");
	factset_set(f, "cpu.emulated", "yes", "target");
	factset_set(f, "cpu.emulator", "qemu-arm 7.2.22, -cpu cortex-a7", "target");
	factset_set(f, "abi.float", abi, "readelf");
	factset_set(f, "setting.mariadb.innodb_buffer_pool_size", "16M",
		    "the throwaway server holds one small site");
	factset_set(f, "setting.php.memory_limit", "256M", "WordPress asks for it");
}

/* A fixed spread of up to 2 % either way, the same on every machine: no random generator. */
static double noise(int round, size_t task, size_t system)
{
	uint32_t h = (uint32_t)round * 2654435761U ^ (uint32_t)(task * 40503 + system * 977);

	h = (h ^ h >> 15) * 2246822519U;
	h = (h ^ h >> 13) * 3266489917U;
	h ^= h >> 16;
	return 1 + 0.02 * ((double)(h % 2001) / 1000 - 1);
}

void example_reference(struct experiment *e, int rounds)
{
	size_t task[REFERENCE_N];
	size_t metric[REFERENCE_N];

	example_head(e, "reference", "debian:bookworm/armel against debian:bookworm/armhf", rounds);
	(void)example_system(e, "soft", "debian:bookworm/armel", true);
	(void)example_system(e, "hard", "debian:bookworm/armhf", true);
	reference_facts(&e->systems.v[0].facts, "armel", "soft");
	reference_facts(&e->systems.v[1].facts, "armhf", "hard");
	for (size_t i = 0; i < REFERENCE_N; i++) {
		task[i] = reference[i].params == NULL
				  ? task[i - 1]
				  : example_task(e, reference[i].workload, reference[i].task,
						 reference[i].params);
		metric[i] = example_metric(e, reference[i].metric, reference[i].unit,
					   reference[i].conditions, true);
	}
	for (int round = 1; round <= rounds; round++) {
		for (size_t t = 0; t < e->tasks.n; t++) {
			for (size_t s = 0; s < 2; s++) {
				struct exp_execution *x = example_execution(e, round, t, s, 1);

				for (size_t i = 0; i < REFERENCE_N; i++) {
					double v = s == 0 ? reference[i].soft : reference[i].hard;

					if (task[i] == t)
						(void)example_value(x, metric[i],
								    v * noise(round, i, s),
								    reference[i].step);
				}
			}
		}
	}
	vec_push(&e->notes, mem_strdup("PHP's OPcache is off in one of the page tasks."));
}

/* Benchmarks use it as well, which have no cmocka. */
static void must(int rc, const struct err *err)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "example: %s\n", err->msg);
	abort();
}

struct store *example_open(const char *path)
{
	struct err err = ERR_INIT;
	struct store *st = store_open(path, &err);

	must(st == NULL, &err);
	return st;
}

void example_store(struct store *st, struct experiment *e)
{
	struct buf raw = BUF_INIT;
	struct err err = ERR_INIT;

	must(store_create(st, e, &err), &err);
	for (size_t i = 0; i < e->executions.n; i++) {
		buf_clear(&raw);
		buf_addf(&raw, "output %zu", i);
		must(store_add_execution(st, e, &e->executions.v[i], &raw, &err), &err);
	}
	buf_release(&raw);
}
