/* lampduel rootfs: prepared installations. */
#include <fnmatch.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "cmd/commands.h"
#include "cmd/runopts.h"
#include "system/rootfs.h"

struct options {
	char *mirror;
	char *sources;
};

static const struct option_row rows[] = {
	{.name = "mirror",
	 .type = OPT_TEXT,
	 .offset = offsetof(struct options, mirror),
	 .arg = "URL",
	 .help = "the Debian archive to take packages from; without it LAMPDUEL_MIRROR, then the "
		 "one "
		 "that apt on this machine uses"},
	{.name = "sources",
	 .type = OPT_CHOICE,
	 .offset = offsetof(struct options, sources),
	 .arg = "release|security",
	 .help = "the release alone, so that all architectures have the same versions (so a new "
		 "one "
		 "is made), or its security and point updates too; update keeps what there was"},
	{.name = NULL},
};

struct action {
	const char *name;
	bool needs_target;
	int (*run)(struct cmd_context *c, const struct rootfs_options *o, const char *target,
		   struct err *err);
};

static void progress(void *arg, const char *line)
{
	const struct cmd_context *c = arg;

	if (c->tty_err || c->verbose)
		(void)fprintf(stderr, "%s\n", line);
}

/* The day of "2026-07-11 10:16:37 UTC". */
static int day_length(const char *date)
{
	return (int)strcspn(date, " ");
}

/* The versions that a duel is about, without the epoch, which says nothing to a reader. */
static void add_versions(struct buf *b, const struct rootfs_packages *p)
{
	static const char *const shown[][2] = {{"openssl", "openssl"},
					       {"apache", "apache2-bin"},
					       {"php", "php[0-9]*-cli"},
					       {"mariadb", "mariadb-server-core*"},
					       {"wordpress", "wordpress"}};

	for (size_t n = 0; n < sizeof(shown) / sizeof(shown[0]); n++) {
		for (size_t i = 0; i < p->n; i++) {
			const char *version = p->v[i].version;
			const char *colon = strchr(version, ':');

			if (fnmatch(shown[n][1], p->v[i].name, 0) != 0)
				continue;
			if (colon != NULL)
				version = colon + 1;
			buf_addf(b, "%s%s ", b->len == 0 ? "" : ", ", shown[n][0]);
			text_escape(b, version, strlen(version));
			break;
		}
	}
}

static void print_one(FILE *out, const struct rootfs_info *i)
{
	struct buf b = BUF_INIT;

	add_versions(&b, &i->packages);
	(void)fprintf(out, "%-24s %s, archive of %.*s (%s: %s), %d MB, made %.*s\n", i->target,
		      i->os_name, day_length(i->release_date), i->release_date, i->sources,
		      i->components, (int)(i->bytes >> 20), day_length(i->created), i->created);
	(void)fprintf(out, "%-24s %s\n", "", buf_str(&b));
	buf_release(&b);
}

static int list(struct cmd_context *c, const struct rootfs_options *o, const char *target,
		struct err *err)
{
	struct rootfs_list l;
	size_t shown = 0;

	int rc = rootfs_list(o, &l, err);
	for (size_t i = 0; rc == 0 && i < l.infos.n; i++) {
		const struct rootfs_info *info = &l.infos.v[i];

		if (target != NULL && !text_equal(info->target, target))
			continue;
		shown++;
		if (info->target != NULL) {
			print_one(c->out, info);
		} else {
			char *name = text_escaped(info->name);
			(void)fprintf(c->out,
				      "%-24s incomplete or of another version of lampduel; "
				      "lampduel rootfs update makes it anew\n",
				      name);
			free(name);
		}
	}
	if (rc == 0 && shown == 0 && target != NULL)
		rc = err_set(err, "%s is not prepared here: lampduel rootfs add %s", target,
			     target);
	if (rc == 0 && shown == 0) {
		char *folder = rootfs_folder(o);
		char *safe = text_escaped(folder);
		(void)fprintf(c->out, "no prepared installations in %s\n", safe);
		free(safe);
		free(folder);
	}
	rootfs_list_release(&l);
	return rc;
}

static int add(struct cmd_context *c, const struct rootfs_options *o, const char *target,
	       struct err *err)
{
	struct rootfs r;

	int rc = rootfs_open(target, o, &r, err);
	if (rc != 0)
		return rc;
	bool other = o->sources != ROOTFS_AS_IT_WAS &&
		     (o->sources == ROOTFS_SECURITY) != rootfs_has_security(&r.info);
	if (other)
		rc = err_set(err,
			     "%s is there already, but with other sources (%s): lampduel rootfs "
			     "update makes it anew",
			     target, r.info.sources);
	else
		print_one(c->out, &r.info);
	if (!other && !r.made)
		(void)fprintf(c->out,
			      "%-24s was there already; lampduel rootfs update makes it "
			      "anew\n",
			      "");
	rootfs_close(&r);
	return rc;
}

static int update(struct cmd_context *c, const struct rootfs_options *o, const char *target,
		  struct err *err)
{
	struct rootfs_info info;

	int rc = rootfs_update(target, o, &info, err);
	if (rc == 0)
		print_one(c->out, &info);
	rootfs_info_release(&info);
	return rc;
}

static int take_away(struct cmd_context *c, const struct rootfs_options *o, const char *target,
		     struct err *err)
{
	bool was = false;

	int rc = rootfs_remove(target, o, &was, err);
	if (rc == 0 && !was)
		rc = err_set(err, "%s is not prepared here (lampduel rootfs list shows what is)",
			     target);
	if (rc == 0)
		(void)fprintf(c->out, "%-24s removed\n", target);
	return rc;
}

static const struct action actions[] = {
	{"add", true, add},
	{"list", false, list},
	{"update", true, update},
	{"remove", true, take_away},
};

static enum rootfs_sources sources_of(const char *word)
{
	if (word == NULL)
		return ROOTFS_AS_IT_WAS;
	return strcmp(word, "security") == 0 ? ROOTFS_SECURITY : ROOTFS_RELEASE;
}

static int run(struct cmd_context *c, void *options, struct strvec *argv, struct err *err)
{
	const struct options *o = options;
	struct rootfs_options ro = {.mirror = o->mirror,
				    .sources = sources_of(o->sources),
				    .stop = c->stop,
				    .progress = progress,
				    .progress_arg = c};
	const struct action *action = NULL;

	if (o->mirror != NULL && run_check_mirror(o->mirror, err) != 0)
		return ERR_USAGE;
	for (size_t i = 0; argv->n > 0 && i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(argv->v[0], actions[i].name) == 0)
			action = &actions[i];
	}
	if (action == NULL)
		return err_code(err, ERR_USAGE,
				"rootfs: say add, list, update or remove, as in "
				"lampduel rootfs add debian:bookworm/armhf");
	if (argv->n == 1 && action->needs_target)
		return err_code(err, ERR_USAGE,
				"rootfs %s: say which, as in lampduel rootfs %s "
				"debian:bookworm/armhf",
				action->name, action->name);
	int rc = 0;
	if (argv->n == 1)
		rc = action->run(c, &ro, NULL, err);
	for (size_t i = 1; rc == 0 && i < argv->n; i++)
		rc = action->run(c, &ro, argv->v[i], err);
	return rc;
}

const struct command cmd_rootfs = {
	.name = "rootfs",
	.arguments = "[options] add|list|update|remove [TARGET...]",
	.summary = "prepare installations to measure in, list and remove them",
	.details = "  add TARGET...      unpacks it unless it is there (debian:SUITE/ARCH)\n"
		   "  list [TARGET...]   what is prepared, of which release and versions\n"
		   "  update TARGET...   makes it anew from today's archive\n"
		   "  remove TARGET...   deletes it\n"
		   "\n"
		   "They are unpacked, not installed: nothing in them is run, and signatures are\n"
		   "checked with Debian's keys. A run makes what it needs by itself.\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
