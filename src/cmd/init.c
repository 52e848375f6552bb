/* lampduel init: a commented INI file for run -f, from what is found on the systems. */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/help.h"
#include "cmd/opened.h"
#include "cmd/runopts.h"
#include "measure/plan.h"
#include "stack/stack.h"
#include "system/emulate.h"
#include "system/rootfs.h"

struct init_options {
	char *output;
};

/* What every system that was looked at can do. */
struct found {
	bool openssl, mariadb, web;
	bool runs_services; /* one has programs of its own running, perhaps */
};

static void add_versions(struct buf *b, const struct stack_programs *p)
{
	const struct {
		const char *name, *path, *version;
	} rows[] = {
		{"OpenSSL", p->openssl, p->openssl_version},
		{"MariaDB", p->mariadbd, p->mariadb_version},
		{"Apache", p->apache, p->apache_version},
		{"PHP", p->php_cli, p->php_version},
		{"WordPress", p->wordpress, p->wordpress_version},
	};
	const char *separator = "; ";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *safe = NULL;

		if (rows[i].path == NULL)
			continue;
		safe = text_escaped(rows[i].version == NULL ? "" : rows[i].version);
		buf_addf(b, "%s%s%s%s", separator, rows[i].name, *safe == '\0' ? "" : " ", safe);
		separator = ", ";
		free(safe);
	}
	buf_addstr(b, *separator == ';' ? "; none of the programs that are measured\n" : "\n");
}

/* A section for one system, with what it has, and what of that all have. */
static int add_system(const struct cmd_context *c, const struct system_spec *spec, bool first,
		      struct found *all, struct buf *b, struct err *err)
{
	struct stack_programs p = {0};
	struct opened o;
	int rc = opened_open(&o, c, spec->target, err);

	if (rc != 0)
		return rc;
	rc = stack_find_programs(o.system, &p, err);
	if (rc == 0) {
		bool services = !o.system->kind->no_services;

		buf_addf(b, "\n[system %s]\ntarget = %s\nrole = %s\n", spec->name, spec->target,
			 first ? "baseline" : "candidate");
		add_versions(b, &p);
		if (o.system->emulated)
			buf_addf(b,
				 "; its programs are emulated: nothing is said about hardware\n"
				 "; cpu = %s\n",
				 o.system->emulated_cpu == NULL ? "max" : o.system->emulated_cpu);
		all->openssl = all->openssl && p.openssl != NULL;
		all->mariadb = all->mariadb && services && stack_supported(&p, false, NULL);
		all->web = all->web && services && stack_supported(&p, true, NULL);
		all->runs_services = all->runs_services || !o.system->is_rootfs;
	}
	stack_programs_release(&p);
	opened_close(&o);
	return rc;
}

static void add_run_options(struct buf *b)
{
	buf_addstr(b, "[run]\n");
	for (const struct option_row *row = run_option_rows; row->name != NULL; row++) {
		const char *value = row->fallback != NULL   ? row->fallback
				    : row->type == OPT_FLAG ? "no"
							    : row->arg;
		if (row->ini)
			buf_addf(b, "; %s\n; %s = %s\n", row->help, row->name, value);
	}
}

static void add_workload(struct buf *b, const char *name, bool can, const char *why_not)
{
	struct err ignored = ERR_INIT;
	const struct workload_kind *k = workload_kind_named(name, &ignored);

	if (k == NULL)
		return;
	if (!can)
		buf_addf(b, "\n; %s: %s\n", name, why_not);
	else
		buf_addf(b, "\n; %s\n[workload %s]\nmeasure = yes\n", k->summary, name);
	for (const struct workload_param *w = k->params; can && w->key != NULL; w++)
		buf_addf(b, "; %s\n; %s = %s\n", w->help, w->key, w->fallback);
}

static void add_workloads(struct buf *b, const struct found *all)
{
	add_workload(b, "wordpress", all->web,
		     all->runs_services
			     ? "not every system has what a throwaway one needs; a site that runs: "
			       "[workload wordpress] with url = http://..."
			     : "Apache, PHP or MariaDB is missing on a system");
	add_workload(b, "mariadb", all->mariadb,
		     all->runs_services
			     ? "not every system has what a throwaway one needs; a server that "
			       "runs: [workload mariadb] with server = running"
			     : "MariaDB is missing on a system");
	add_workload(b, "openssl", all->openssl, "OpenSSL's program is missing on a system");
	buf_addstr(b, "\n; any command, with the whole path where there is no shell's PATH:\n"
		      "; [workload key]\n"
		      "; command = /usr/bin/openssl enc -aes-256-cbc -pbkdf2 -iter 1000000 -S "
		      "0102030405060708 -k x -in /dev/null -out /dev/null\n");
}

/* Prepared installations, ready to be compared with what is installed here. */
static int add_prepared(struct buf *b, struct err *err)
{
	struct rootfs_options o = {0};
	struct rootfs_list l;
	int rc = rootfs_list(&o, &l, err);

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < l.infos.n; i++) {
		if (l.infos.v[i].target != NULL)
			buf_addf(b, "%s; [system %s]\n; target = %s\n",
				 i == 0 ? "\n; prepared installations, to compare with:\n" : "",
				 l.infos.v[i].name, l.infos.v[i].target);
	}
	rootfs_list_release(&l);
	return 0;
}

static int compose(const struct cmd_context *c, const struct strvec *targets, struct buf *b,
		   struct err *err)
{
	struct plan p = {.kind = NULL};
	struct found all = {.openssl = true, .mariadb = true, .web = true};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < targets->n; i++)
		rc = plan_add_system_text(&p, targets->v[i], err);
	if (rc == 0 && targets->n == 0)
		rc = plan_add_system_text(&p, "local", err);
	buf_addstr(b, "; For lampduel run -f; lampduel.ini(5) explains it. Lines behind ; are "
		      "defaults and suggestions.\n\n");
	add_run_options(b);
	for (size_t i = 0; rc == 0 && i < p.systems.n; i++)
		rc = add_system(c, &p.systems.v[i], i == 0, &all, b, err);
	if (rc == 0 && targets->n == 0)
		rc = add_prepared(b, err);
	if (rc == 0)
		add_workloads(b, &all);
	plan_release(&p);
	return rc;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct init_options *o = options;
	bool to_stdout = strcmp(o->output, "-") == 0;
	struct buf b = BUF_INIT;

	if (!to_stdout && fs_exists(o->output))
		return err_set(err, "%s is there already: name another with -o FILE", o->output);
	int rc = to_stdout ? 0 : fs_check_output(o->output, err);
	if (rc == 0)
		rc = compose(c, argv, &b, err);
	if (rc == 0 && to_stdout)
		(void)fwrite(b.data, 1, b.len, c->out);
	else if (rc == 0)
		rc = fs_write_output(o->output, b.data, b.len, err);
	if (rc == 0 && !to_stdout)
		(void)fprintf(stderr, "wrote %s: look through it, then lampduel run -f %s\n",
			      o->output, o->output);
	buf_release(&b);
	return rc;
}

static const struct option_row rows[] = {
	{.name = "output",
	 .letter = 'o',
	 .type = OPT_TEXT,
	 .offset = offsetof(struct init_options, output),
	 .arg = "FILE",
	 .fallback = "duel.ini",
	 .help = "the file to write, which must not be there yet; - is standard output"},
	{.name = NULL},
};

const struct command cmd_init = {
	.name = "init",
	.arguments = "[options] [[NAME=]TARGET...]",
	.summary = "write a commented file for run -f, from what is found on the systems",
	.details = "Without a target it is about this machine, as it is. The first target is the\n"
		   "baseline. Systems are only looked at.\n",
	.more_help = help_targets,
	.options = rows,
	.options_size = sizeof(struct init_options),
	.run = run,
};
