#include "system/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"
#include "facts/machine.h"
#include "system/rooted.h"
#include "system/rootfs.h"
#include "system/sandbox.h"

enum { STATUS_MAX = 64 << 20, OS_RELEASE_MAX = 65536 };

static int dir_check(const char *target, struct err *err)
{
	const char *path = system_target_rest(target);

	if (path[0] == '/')
		return 0;
	char *shown = text_escaped(target);
	int rc = err_code(err, ERR_USAGE, "'%s' is no such target: dir:/ABSOLUTE/PATH is", shown);
	free(shown);
	return rc;
}

/* Os-release says more than a guess from the programs would. */
static void name_os(struct system *s, const char *root)
{
	char *path = fs_resolve_in_root(root, "/etc/os-release");
	struct factset said = {0};
	struct buf text = BUF_INIT;

	if (path != NULL && fs_read(path, OS_RELEASE_MAX, &text, NULL) == 0)
		machine_os_release(buf_str(&text), &said);
	const char *name = factset_get(&said, "os.name");
	if (name != NULL)
		factset_set(&s->facts, "os.name", name, "/etc/os-release");
	factset_release(&said);
	buf_release(&text);
	free(path);
}

static void add_packages(struct system *s, const char *root)
{
	char *path = fs_resolve_in_root(root, "/var/lib/dpkg/status");
	struct rootfs_packages packages = {0};
	struct buf text = BUF_INIT;

	if (path != NULL && fs_read(path, STATUS_MAX, &text, NULL) == 0) {
		rootfs_packages_read(&packages, buf_str(&text), text.len);
		rootfs_package_facts(&packages, "dpkg status", &s->facts);
	}
	rootfs_packages_release(&packages);
	buf_release(&text);
	free(path);
}

static int dir_open(struct system *s, const struct system_options *o, struct err *err)
{
	const char *root = system_target_rest(o->target);
	struct rooted look;

	int rc = rooted_look(root, &look, err);
	look.users_own = true;
	if (rc == 0) {
		name_os(s, root);
		add_packages(s, root);
		rc = rooted_open(s, o, root, &look, NULL, NULL, err);
	}
	rooted_release(&look);
	return rc;
}

const struct system_kind dir_kind = {
	.scheme = "dir",
	.form = "dir:/PATH",
	.summary = "an unpacked installation in a folder of this machine",
	.in_sandbox = true,
	.check = dir_check,
	.open = dir_open,
	SANDBOX_FUNCTIONS,
};
