#include "system/rooted.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/text.h"
#include "facts/elf.h"
#include "system/emulate.h"
#include "system/sandbox.h"

/* What is measured comes first, what every installation has after it. */
static const char *const likely[] = {
	"/usr/bin/openssl",  "/usr/sbin/mariadbd", "/usr/sbin/mysqld", "/usr/libexec/mysqld",
	"/usr/sbin/apache2", "/usr/sbin/httpd",    "/usr/bin/php",     "/bin/bash",
	"/bin/sh",           "/bin/busybox",       "/sbin/init",       "/usr/bin/env",
};

/* Folders that are searched when none of those is there, and how many files of each. */
static const char *const folders[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"};
enum { FILES_MAX = 400 };

void rooted_release(struct rooted *r)
{
	free(r->arch);
	free(r->program);
	free(r->sample);
	*r = (struct rooted){0};
}

static bool read_elf(const char *path, struct elf_info *e)
{
	struct buf head = BUF_INIT;
	struct stat st;

	/* a pipe or a device would not give its end */
	bool ok = stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		  fs_read_head(path, ELF_HEAD, &head, NULL) == 0 &&
		  elf_read(buf_str(&head), head.len, e, NULL) == 0;
	buf_release(&head);
	return ok;
}

static bool look_at(const char *root, const char *inside, struct rooted *r)
{
	struct elf_info e;
	char *path = fs_resolve_in_root(root, inside);

	if (path == NULL || !read_elf(path, &e) || e.arch == NULL) {
		free(path);
		return false;
	}
	r->arch = mem_strdup(e.arch);
	r->program = mem_strdup(inside);
	r->float_abi = e.float_abi;
	if (e.is_static) {
		r->sample = path;
		return true;
	}
	free(path);
	path = e.interp[0] == '/' ? fs_resolve_in_root(root, e.interp) : NULL;
	if (path != NULL && read_elf(path, &e) && e.is_static)
		r->sample = path;
	else
		free(path);
	return true;
}

int rooted_look(const char *root, struct rooted *r, struct err *err)
{
	*r = (struct rooted){0};
	if (!fs_is_dir(root))
		return err_set(err, "no folder %s", root);
	for (size_t i = 0; i < sizeof(likely) / sizeof(likely[0]); i++) {
		if (look_at(root, likely[i], r))
			return 0;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		struct strvec names = STRVEC_INIT;
		char *folder = fs_resolve_in_root(root, folders[i]);
		bool found = false;

		if (folder != NULL && fs_list(folder, &names, NULL) == 0) {
			for (size_t k = 0; k < names.n && k < FILES_MAX && !found; k++) {
				char *inside = fs_join(folders[i], names.v[k]);
				found = look_at(root, inside, r);
				free(inside);
			}
		}
		strvec_release(&names);
		free(folder);
		if (found)
			return 0;
	}
	return err_set(err,
		       "no programs of a known architecture in %s: is it the root folder of an "
		       "installation?",
		       root);
}

static void set_facts(struct system *s, const struct rooted *r, const struct emulation *e)
{
	char *text = emulation_text(e);

	mem_replace(&s->arch, mem_strdup(r->arch));
	factset_set(&s->facts, "arch", r->arch, r->program);
	if (r->float_abi != ELF_FLOAT_UNKNOWN)
		factset_set(&s->facts, "abi.float", elf_float_name(r->float_abi), r->program);
	factset_set(&s->facts, "cpu.emulated", e->emulated ? "yes" : "no", e->reason);
	if (e->emulated) {
		factset_set(&s->facts, "cpu.emulator", text, e->program);
		mem_replace(&s->emulator, mem_printf("%s%s%s", e->name,
						     e->version[0] == '\0' ? "" : " ", e->version));
	}
	factset_set(&s->facts, "kernel.shared", "yes", "the sandbox has this machine's kernel");
	free(text);
}

int rooted_open(struct system *s, const struct system_options *o, const char *root,
		const struct rooted *r, void *kind_data, void (*kind_release)(void *kind_data),
		struct err *err)
{
	struct emulate_host host;
	struct emulation e;

	emulate_host_init(&host);
	int rc = emulate_find(&host, r->arch, r->sample, o->cpu, &e, err);
	if (rc != 0) {
		if (kind_release != NULL)
			kind_release(kind_data);
		return rc;
	}
	set_facts(s, r, &e);
	struct sandbox_options so = {
		.root = root,
		.emulator = e.program,
		.emulator_cpu = e.cpu,
		.kind_data = kind_data,
		.kind_release = kind_release,
		.users_own = r->users_own,
	};
	rc = sandbox_open(s, o, &so, err);
	emulation_release(&e);
	return rc;
}
