#include "cmd/pasted.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fs.h"
#include "base/text.h"
#include "parse/parse.h"
#include "report/view.h"
#include "store/exchange.h"

enum { TEXT_MAX = 64 << 20, UNUSABLE_MAX = 10 };

/* Executions of one system and task, in the order of their rounds. */
struct slot {
	size_t system, task;
	VEC(size_t) at;
};

/* How many values of a metric a system has so far. */
struct tally {
	size_t system, metric, n;
};

struct pasted {
	struct experiment *e;
	const char *path;
	bool by_label, labels; /* labels: the text has some */
	VEC(struct slot) slots;
	VEC(struct tally) tallies;
	size_t unusable;
};

static size_t find_system(struct pasted *p, const char *name)
{
	struct experiment *e = p->e;

	for (size_t i = 0; i < e->systems.n; i++) {
		if (text_equal(e->systems.v[i].name, name))
			return i;
	}
	struct exp_system *x = vec_add(&e->systems);
	x->name = mem_strdup(name);
	x->target = mem_strdup("file");
	x->emulator = mem_strdup("");
	x->baseline = e->systems.n == 1;
	return e->systems.n - 1;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static size_t system_of(struct pasted *p, const struct parse_value *v)
{
	char *name;

	if (!p->by_label)
		name = mem_strdup(base_name(p->path));
	else if (!p->labels)
		name = mem_printf("run %d", v->run);
	else
		name = mem_strdup(v->label[0] != '\0' ? v->label : "without a label");
	size_t system = find_system(p, name);
	free(name);
	return system;
}

static size_t find_task(struct experiment *e, const char *metric)
{
	char *workload = mem_strndup(metric, strcspn(metric, "/"));
	size_t i = 0;

	while (i < e->tasks.n && !text_equal(e->tasks.v[i].name, workload))
		i++;
	if (i == e->tasks.n) {
		struct exp_task *t = vec_add(&e->tasks);
		t->workload = mem_strdup(workload);
		t->name = mem_strdup(workload);
		t->params = mem_strdup("{}");
	}
	free(workload);
	return i;
}

/* MD5("a") is MD5('a'): strings between ' where they hold none; new string. */
static char *metric_name(const struct parse_value *v)
{
	char *name = mem_strdup(v->metric);

	if (!text_starts(name, "mariadb/benchmark."))
		return name;
	for (char *p = name; (p = strpbrk(p, "'\"")) != NULL; p++) {
		char *end = strchr(p + 1, *p);
		if (end == NULL)
			break;
		if (*p == '"' && memchr(p, '\'', (size_t)(end - p)) == NULL)
			*p = *end = '\'';
		p = end;
	}
	if (text_equal(name, "mariadb/benchmark.encode('praise','bob')/time"))
		mem_replace(&name, mem_strdup("mariadb/benchmark.encode/time"));
	return name;
}

static size_t find_metric(struct experiment *e, const struct parse_value *v)
{
	char *name = metric_name(v);

	for (size_t i = 0; i < e->metrics.n; i++) {
		const struct exp_metric *m = &e->metrics.v[i];
		if (text_equal(m->name, name) && text_equal(m->unit, v->unit) &&
		    text_equal(m->conditions, v->conditions)) {
			free(name);
			return i;
		}
	}
	struct exp_metric *m = vec_add(&e->metrics);
	m->name = name;
	m->unit = mem_strdup(v->unit);
	m->direction = metric_direction_of_unit(v->unit);
	m->conditions = mem_strdup(v->conditions);
	m->primary = true;
	return e->metrics.n - 1;
}

static struct slot *find_slot(struct pasted *p, size_t system, size_t task)
{
	for (size_t i = 0; i < p->slots.n; i++) {
		if (p->slots.v[i].system == system && p->slots.v[i].task == task)
			return &p->slots.v[i];
	}
	struct slot *s = vec_add(&p->slots);
	s->system = system;
	s->task = task;
	return s;
}

static size_t count_value(struct pasted *p, size_t system, size_t metric)
{
	for (size_t i = 0; i < p->tallies.n; i++) {
		if (p->tallies.v[i].system == system && p->tallies.v[i].metric == metric)
			return p->tallies.v[i].n++;
	}
	vec_push(&p->tallies, ((struct tally){system, metric, 1}));
	return 0;
}

static void add_execution(struct experiment *e, struct slot *s)
{
	struct exp_execution *x = vec_add(&e->executions);

	vec_push(&s->at, e->executions.n - 1);
	x->round = x->life = (int)s->at.n;
	x->task = s->task;
	x->system = s->system;
	x->position = x->attempt = 1;
	x->reason = mem_strdup("");
	x->disturbance = mem_strdup("");
}

/* Programs whose version the table of configurations has a row for, as outputs name them. */
static const struct {
	const char *program, *key;
	bool whole; /* the name is part of it: it is another than the row says */
} programs[] = {
	{"OpenSSL ", "openssl.version", false}, {"SSLeay ", "openssl.version", true},
	{"LibreSSL ", "openssl.version", true}, {"BoringSSL", "openssl.version", true},
	{"Tongsuo ", "openssl.version", true},  {"BabaSSL ", "openssl.version", true},
	{"MariaDB ", "mariadb.version", false}, {"MySQL ", "mariadb.version", true},
	{"Percona ", "mariadb.version", true},  {"PHP ", "php.version", false},
	{"Apache ", "apache.version", false},   {"WordPress ", "wordpress.version", false},
};

static void add_version(struct exp_system *s, const struct parse_value *v)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (!text_starts(v->software, programs[i].program))
			continue;
		const char *version =
			v->software + (programs[i].whole ? 0 : strlen(programs[i].program));
		const char *known = factset_get(&s->facts, programs[i].key);
		if (known == NULL) {
			factset_set(&s->facts, programs[i].key, version, v->file);
		} else if (strstr(known, version) == NULL) {
			char *both = mem_printf("%s, %s", known, version);
			factset_set(&s->facts, programs[i].key, both, v->file);
			free(both);
		}
		return;
	}
}

/* Round r holds the r-th value of each metric. */
static void add_value(struct pasted *p, const struct parse_value *v)
{
	struct experiment *e = p->e;

	if (!v->has_value) {
		if (p->unusable++ < UNUSABLE_MAX)
			vec_push(&e->notes, mem_printf("%s, line %ld: %s cannot be used: %s",
						       p->path, v->line, v->metric, v->note));
		return;
	}
	size_t system = system_of(p, v), metric = find_metric(e, v);
	add_version(&e->systems.v[system], v);
	struct slot *s = find_slot(p, system, find_task(e, v->metric));
	size_t n = count_value(p, system, metric);
	if (n == s->at.n)
		add_execution(e, s);
	struct exp_execution *x = &e->executions.v[s->at.v[n]];
	const struct exp_value out = {
		.metric = metric,
		.value = v->value,
		.step = v->step,
		.derived = v->derived,
		.n = 1,
		.origin = mem_printf("%s:%ld", base_name(p->path), v->line),
	};
	vec_push(&x->values, out);
}

static void finish(struct pasted *p)
{
	if (p->unusable > UNUSABLE_MAX)
		vec_push(&p->e->notes, mem_printf("%s: %zu more cells cannot be used", p->path,
						  p->unusable - UNUSABLE_MAX));
	for (size_t i = 0; i < p->slots.n; i++)
		vec_release(&p->slots.v[i].at);
	vec_release(&p->slots);
	vec_release(&p->tallies);
}

static void read_values(struct pasted *p, const struct parse_result *r)
{
	for (size_t i = 0; i < r->values.n; i++)
		p->labels |= r->values.v[i].label[0] != '\0';
	for (size_t i = 0; i < r->values.n; i++)
		add_value(p, &r->values.v[i]);
	finish(p);
	for (size_t i = 0; i < r->warnings.n; i++)
		vec_push(&p->e->notes, mem_strdup(r->warnings.v[i]));
}

static int read_pasted(const struct buf *text, const char *path, bool by_label,
		       struct experiment *e, struct err *err)
{
	struct parse_result r = {.warnings = {0}};
	struct pasted p = {.e = e, .path = path, .by_label = by_label};

	e->title = mem_strdup(path);
	e->state = mem_strdup("complete");
	e->ending = mem_strdup("");
	e->kind = mem_strdup("import");
	e->command = mem_strdup("");
	e->version = mem_strdup(LAMPDUEL_VERSION);
	e->plan = mem_strdup("{}");
	int rc = parse_text(buf_str(text), text->len, path, &r, err);
	if (rc == 0)
		read_values(&p, &r);
	if (rc == 0 && e->systems.n == 0)
		rc = err_set(err, "%s: no cell of it can be used; lampduel parse shows why", path);
	parse_result_release(&r);
	return rc;
}

const char *pasted_file_name(const char *path)
{
	return text_equal(path, "-") ? "standard input" : path;
}

int pasted_read_any(const char *path, bool by_label, struct experiment *e, bool *own,
		    struct err *err)
{
	struct buf text = BUF_INIT;
	int rc = fs_read(text_equal(path, "-") ? "/dev/stdin" : path, TEXT_MAX, &text, err);

	path = pasted_file_name(path);
	*e = (struct experiment){.id = 0};
	*own = rc == 0 && exchange_is(buf_str(&text), text.len);
	if (*own)
		rc = exchange_read(buf_str(&text), text.len, path, e, err);
	else if (rc == 0)
		rc = read_pasted(&text, path, by_label, e, err);
	buf_release(&text);
	return rc;
}

int pasted_read(const char *path, bool by_label, struct experiment *e, struct err *err)
{
	bool own = false;

	return pasted_read_any(path, by_label, e, &own, err);
}

void pasted_note_versions(struct experiment *e)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		char *name = mem_strndup(programs[i].key, strcspn(programs[i].key, "."));
		bool before = false;
		for (size_t k = 0; k < i; k++)
			before |= text_equal(programs[k].key, programs[i].key);
		const char *first = factset_get(&e->systems.v[0].facts, programs[i].key);
		for (size_t s = 1; !before && first != NULL && s < e->systems.n; s++) {
			const char *other = factset_get(&e->systems.v[s].facts, programs[i].key);
			if (other != NULL && !text_equal(other, first))
				vec_push(&e->notes,
					 mem_printf("%s: %s has %s, %s has %s: the versions may be "
						    "part of any difference",
						    view_program(name), e->systems.v[0].name, first,
						    e->systems.v[s].name, other));
		}
		free(name);
	}
}
