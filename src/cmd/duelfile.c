#include "cmd/duelfile.h"

#include <ini.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"

enum { FILE_MAX = 1 << 20 };

struct pending_system {
	char *name, *target, *cpu, *role;
};

/* A [system X] or [workload X] as it stands in the file, with or without keys. */
struct section {
	char *title; /* "workload X" */
	int line;
	bool command; /* has a key of this name: the workload is one, wherever that stands */
};

struct reader {
	const char *path;
	const struct option_row *table;
	void *options;
	uint64_t given;
	struct plan *plan;
	VEC(struct pending_system) systems;
	VEC(struct section) sections;
	struct err *err;
	bool failed;
};

/* "workload X" of "  [workload X] ; remark"; NULL: no heading. New string. */
static char *heading(const char *line, size_t len)
{
	char *copy = mem_strndup(line, len);
	char *text = text_trim(copy);
	char *end = strchr(text, ']');
	char *title = text[0] == '[' && end != NULL
			      ? mem_strndup(text + 1, (size_t)(end - text) - 1)
			      : NULL;

	free(copy);
	return title;
}

static bool is_key(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);

	if (len <= n || strncmp(line, key, n) != 0)
		return false;
	line += n + strspn(line + n, " \t");
	return *line == '=' || *line == ':';
}

static int add_section(struct reader *r, char *title, int line)
{
	for (size_t i = 0; i < r->sections.n; i++) {
		struct section *s = &r->sections.v[i];
		if (strcmp(s->title, title) != 0)
			continue;
		int rc = err_code(r->err, ERR_USAGE, "%s:%d: [%s] stands in line %d already",
				  r->path, line, title, s->line);
		free(title);
		return rc;
	}
	struct section fresh = {.title = title, .line = line};
	vec_push(&r->sections, fresh);
	return 0;
}

/*
 * The headings, which inih tells only with a key below them, and lines that are longer than it
 * reads: it would split them, and blame what comes of that.
 */
static int look_through(struct reader *r, const char *text)
{
	enum { LONGEST = 197 }; /* of inih's 200: line end and NUL */
	int number = 0;

	for (const char *line = text; *line != '\0';) {
		size_t len = strcspn(line, "\n");
		char *title = heading(line, len);

		number++;
		if (len > LONGEST) {
			free(title);
			return err_code(
				r->err, ERR_USAGE,
				"%s:%d: a line has at most %d characters; give a longer value "
				"by --set",
				r->path, number, (int)LONGEST);
		}
		if (title != NULL) {
			if (add_section(r, title, number) != 0)
				return ERR_USAGE;
		} else {
			free(title);
		}
		if (r->sections.n > 0 && is_key(line, len, "command"))
			vec_last(&r->sections)->command = true;
		line += len + (line[len] == '\n');
	}
	return 0;
}

/* Every [workload X] is measured, also one that sets nothing. */
static int add_workloads(struct reader *r)
{
	for (size_t i = 0; i < r->sections.n; i++) {
		const struct section *s = &r->sections.v[i];
		if (!text_starts(s->title, "workload ") || s->title[9] == '\0')
			continue;
		const char *name = s->title + 9;
		const struct workload_kind *k =
			workload_kind_named(s->command ? "command" : name, r->err);
		if (k == NULL)
			return err_wrap(r->err, "%s:%d", r->path, s->line);
		struct workload_request fresh = {.kind = k, .name = mem_strdup(name)};
		vec_push(&r->plan->workloads, fresh);
	}
	return 0;
}

int duelfile_split(const char *text, struct strvec *argv, struct err *err)
{
	struct buf word = BUF_INIT;
	bool in_word = false;
	char quote = 0;

	for (; *text != '\0'; text++) {
		if (quote != 0 && *text == quote) {
			quote = 0;
		} else if (quote == 0 && (*text == '\'' || *text == '"')) {
			quote = *text;
			in_word = true;
		} else if (*text == '\\' && quote != '\'' && text[1] != '\0') {
			buf_addch(&word, *++text);
			in_word = true;
		} else if (quote == 0 && (*text == ' ' || *text == '\t')) {
			if (in_word)
				strvec_push(argv, buf_str(&word));
			buf_clear(&word);
			in_word = false;
		} else {
			buf_addch(&word, *text);
			in_word = true;
		}
	}
	if (in_word)
		strvec_push(argv, buf_str(&word));
	buf_release(&word);
	if (quote != 0)
		return err_code(err, ERR_USAGE, "a quotation mark %c is not closed", quote);
	if (argv->n == 0)
		return err_code(err, ERR_USAGE, "the command is empty");
	return 0;
}

static int set_run(struct reader *r, const char *key, const char *value)
{
	const struct option_row *row = options_find(r->table, key);

	if (row == NULL || !row->ini)
		return err_code(r->err, ERR_USAGE, "[run] has no key \"%s\"", key);
	if ((r->given >> (row - r->table) & 1) != 0)
		return 0; /* the command line has the last word */
	return options_set(row, r->options, value, key, r->err);
}

static int set_system(struct reader *r, const char *name, const char *key, const char *value)
{
	struct pending_system *s = NULL;

	for (size_t i = 0; i < r->systems.n; i++) {
		if (strcmp(r->systems.v[i].name, name) == 0)
			s = &r->systems.v[i];
	}
	if (s == NULL) {
		s = vec_add(&r->systems);
		s->name = mem_strdup(name);
	}
	if (strcmp(key, "target") == 0)
		mem_replace(&s->target, mem_strdup(value));
	else if (strcmp(key, "cpu") == 0)
		mem_replace(&s->cpu, mem_strdup(value));
	else if (strcmp(key, "role") == 0 &&
		 (strcmp(value, "baseline") == 0 || strcmp(value, "candidate") == 0))
		mem_replace(&s->role, mem_strdup(value));
	else if (strcmp(key, "role") == 0)
		return err_code(r->err, ERR_USAGE, "role: \"%s\" is none of baseline|candidate",
				value);
	else
		return err_code(r->err, ERR_USAGE, "[system %s] has no key \"%s\"", name, key);
	return 0;
}

static struct workload_request *request_named(struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->workloads.n; i++) {
		if (strcmp(p->workloads.v[i].name, name) == 0)
			return &p->workloads.v[i];
	}
	return NULL;
}

static int set_workload(struct reader *r, const char *name, const char *key, const char *value)
{
	bool is_command = strcmp(key, "command") == 0;
	struct workload_request *q = request_named(r->plan, name);

	if (q == NULL)
		return err_code(r->err, ERR_USAGE, "[workload %s] is not understood", name);
	if (is_command)
		return duelfile_split(value, &q->argv, r->err);
	if (strcmp(key, "measure") == 0 && strcmp(value, "yes") == 0)
		return 0; /* what its section says already */
	return workload_request_set(q, key, value, r->err);
}

static int set_any(struct reader *r, const char *section, const char *key, const char *value)
{
	if (strcmp(section, "run") == 0)
		return set_run(r, key, value);
	if (text_starts(section, "system ") && section[7] != '\0')
		return set_system(r, section + 7, key, value);
	if (text_starts(section, "workload ") && section[9] != '\0')
		return set_workload(r, section + 9, key, value);
	return err_code(r->err, ERR_USAGE,
			"unknown section [%s]: there are [run], [system NAME] and [workload NAME]",
			section);
}

/* inih: 0 is an error, whose line ini_parse_string returns. */
static int on_key(void *arg, const char *section, const char *key, const char *value)
{
	struct reader *r = arg;

	if (!r->failed && set_any(r, section, key, value) != 0)
		r->failed = true;
	return r->failed ? 0 : 1;
}

/* The baseline first, the others in the order of the file. */
static int add_systems(struct reader *r)
{
	const struct pending_system *first = NULL;

	for (size_t i = 0; i < r->systems.n; i++) {
		if (!text_equal(r->systems.v[i].role, "baseline"))
			continue;
		if (first != NULL)
			return err_code(r->err, ERR_USAGE,
					"[system %s] and [system %s] are both the baseline",
					first->name, r->systems.v[i].name);
		first = &r->systems.v[i];
	}
	for (int baseline = 1; baseline >= 0; baseline--) {
		for (size_t i = 0; i < r->systems.n; i++) {
			const struct pending_system *s = &r->systems.v[i];
			if (text_equal(s->role, "baseline") != (baseline == 1))
				continue;
			if (s->target == NULL)
				return err_code(r->err, ERR_USAGE, "[system %s] has no target",
						s->name);
			if (plan_add_system(r->plan, s->name, s->target, s->cpu, r->err) != 0)
				return err_wrap(r->err, "[system %s]", s->name);
		}
	}
	return 0;
}

int duelfile_read(const char *path, const struct option_row *table, void *options, uint64_t given,
		  struct plan *p, struct err *err)
{
	struct reader r = {.path = path,
			   .table = table,
			   .options = options,
			   .given = given,
			   .plan = p,
			   .err = err};
	struct buf text = BUF_INIT;
	int rc = fs_read(path, FILE_MAX, &text, err);

	if (rc == 0 && memchr(buf_str(&text), '\0', text.len) != NULL)
		rc = err_code(err, ERR_USAGE, "%s is not a text file", path);
	if (rc == 0)
		rc = look_through(&r, buf_str(&text));
	if (rc == 0)
		rc = add_workloads(&r);
	if (rc == 0) {
		int line = ini_parse_string(buf_str(&text), on_key, &r);
		if (line != 0 && !r.failed)
			rc = err_code(err, ERR_USAGE, "%s:%d: neither a [section] nor key = value",
				      path, line);
		else if (line != 0)
			rc = err_wrap(err, "%s:%d", path, line);
		else if (add_systems(&r) != 0)
			rc = err_wrap(err, "%s", path);
	}
	for (size_t i = 0; i < r.systems.n; i++) {
		free(r.systems.v[i].name);
		free(r.systems.v[i].target);
		free(r.systems.v[i].cpu);
		free(r.systems.v[i].role);
	}
	vec_release(&r.systems);
	for (size_t i = 0; i < r.sections.n; i++)
		free(r.sections.v[i].title);
	vec_release(&r.sections);
	buf_release(&text);
	return rc;
}
