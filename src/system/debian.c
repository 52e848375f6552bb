/* The kind debian:SUITE/ARCH: a prepared installation, made on first use. */
#include "system/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"
#include "system/debian_root.h"
#include "system/rooted.h"
#include "system/rootfs.h"
#include "system/sandbox.h"

static int debian_check(const char *target, struct err *err)
{
	struct rootfs_info info = {0};
	int rc = debian_parse(target, &info, err);

	rootfs_info_release(&info);
	return rc;
}

static void release(void *data)
{
	struct rootfs *r = data;

	rootfs_close(r);
	free(r);
}

static void set_facts(struct system *s, const struct rootfs_info *i)
{
	static const char *const origin = "description.json";

	factset_set(&s->facts, "os.name", i->os_name, "Release file");
	factset_set(&s->facts, "root.suite", i->suite, origin);
	factset_set(&s->facts, "root.release_date", i->release_date, "Release file");
	factset_set(&s->facts, "root.sources", i->sources, origin);
	factset_set(&s->facts, "root.components", i->components, origin);
	factset_set(&s->facts, "root.created", i->created, origin);
	rootfs_package_facts(&i->packages, "dpkg status", &s->facts);
}

static int open_root(const struct system_options *o, struct rootfs *r, struct err *err)
{
	struct rootfs_options ro = {.cache_dir = o->cache_dir,
				    .stop = o->stop,
				    .progress = o->progress,
				    .progress_arg = o->progress_arg};

	return rootfs_open(o->target, &ro, r, err);
}

static int debian_prepare(const struct system_options *o, struct err *err)
{
	struct rootfs r = {0};
	int rc = open_root(o, &r, err);

	if (rc == 0)
		rootfs_close(&r);
	return rc;
}

static int debian_open(struct system *s, const struct system_options *o, struct err *err)
{
	struct rootfs *r = mem_alloc(sizeof(*r));
	struct rooted look = {0};

	int rc = open_root(o, r, err);
	if (rc != 0) {
		free(r);
		return rc;
	}
	rc = rooted_look(r->root, &look, err);
	if (rc == 0 && !text_equal(look.arch, r->info.arch))
		rc = err_set(err,
			     "%s holds %s programs: make it anew with lampduel rootfs update %s",
			     r->root, look.arch, o->target);
	if (rc == 0) {
		set_facts(s, &r->info);
		rc = rooted_open(s, o, r->root, &look, r, release, err);
	} else {
		release(r);
	}
	rooted_release(&look);
	return rc;
}

const struct system_kind debian_kind = {
	.scheme = "debian",
	.form = "debian:SUITE/ARCH",
	.summary = "an unpacked Debian, made on first use (debian:bookworm/armhf)",
	.in_sandbox = true,
	.check = debian_check,
	.prepare = debian_prepare,
	.open = debian_open,
	SANDBOX_FUNCTIONS,
};
