/* Does bubblewrap work on this machine, and if not, why? */
#include "system/sandbox.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/text.h"

enum { PROBE_SECONDS = 10 };

void sandbox_probe_release(struct sandbox_probe *p)
{
	free(p->version);
	free(p->why_not);
}

static bool setting_is(const char *path, const char *value)
{
	struct buf b = BUF_INIT;
	bool same = fs_read(path, 64, &b, NULL) == 0 && strcmp(text_trim(b.data), value) == 0;

	buf_release(&b);
	return same;
}

/* What this kernel is known to forbid an ordinary user; NULL: nothing that we know of. */
static const char *refused_by(void)
{
	if (setting_is("/proc/sys/user/max_user_namespaces", "0"))
		return "user namespaces are switched off (sysctl user.max_user_namespaces is 0)";
	if (geteuid() == 0)
		return NULL;
	if (setting_is("/proc/sys/kernel/unprivileged_userns_clone", "0"))
		return "user namespaces are kept from ordinary users (sysctl "
		       "kernel.unprivileged_userns_clone is 0)";
	if (setting_is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"))
		return "AppArmor keeps user namespaces from ordinary users (sysctl "
		       "kernel.apparmor_restrict_unprivileged_userns is 1)";
	if (access("/proc/self/ns/user", F_OK) != 0)
		return "this kernel has no user namespaces";
	return NULL;
}

static char *explain(const char *said)
{
	const char *cause = refused_by();
	char *words = text_escaped(said);
	char *text =
		mem_printf("bubblewrap does not work here: %s%s", cause != NULL ? cause : words,
			   geteuid() == 0 ? "" : "; run lampduel with sudo");

	free(words);
	return text;
}

void sandbox_probe(struct sandbox_probe *p)
{
	char *program = proc_find("bwrap");
	struct proc_result r;
	struct err err = ERR_INIT;

	*p = (struct sandbox_probe){.chroot = geteuid() == 0};
	if (program == NULL) {
		p->why_not = mem_strdup("bubblewrap is not installed (on Debian: apt install "
					"bubblewrap)");
		return;
	}
	char *version[] = {program, "--version", NULL};
	if (proc_run(version, PROBE_SECONDS * NS_PER_S, NULL, &r, NULL) == 0 && r.exit_code == 0)
		p->version = mem_strdup(text_trim(buf_reserve(&r.out, 0) - r.out.len));
	proc_result_release(&r);
	char *try[] = {program,
		       "--ro-bind",
		       "/",
		       "/",
		       "--dev",
		       "/dev",
		       "--proc",
		       "/proc",
		       "--tmpfs",
		       "/tmp",
		       "--unshare-pid",
		       "--unshare-ipc",
		       "--die-with-parent",
		       "--new-session",
		       "--as-pid-1",
		       program, /* what is certainly there */
		       "--version",
		       NULL};
	if (proc_run(try, PROBE_SECONDS * NS_PER_S, NULL, &r, &err) != 0)
		p->why_not = explain(err.msg);
	else if (r.exit_code != 0)
		p->why_not = explain(text_trim(buf_reserve(&r.err, 0) - r.err.len));
	else
		p->bubblewrap = true;
	proc_result_release(&r);
	free(program);
}
