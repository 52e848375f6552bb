/* Which CPU and float ABI the measured programs and their libraries were made for. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "collect/internal.h"
#include "facts/elf.h"
#include "facts/lines.h"

enum { HEAD = 4096, TAIL_MAX = 65536, FILES_MAX = 32 };

struct elf_look {
	struct collector *c;
	struct strvec seen;
};

static char *step_name(const char *path, const char *what)
{
	char *name = mem_printf("elf/%s%s", path[0] == '/' ? path + 1 : path, what);

	return name;
}

/* Of a program of many megabytes two small pieces are wanted. */
static int read_piece(struct collector *c, const char *path, const char *what, uint64_t at,
		      uint64_t size, struct buf *b, struct err *err)
{
	char *name = step_name(path, what);
	struct step step = {.name = name, .round = 0, .attempt = 1};
	struct err e = ERR_INIT;
	int rc = system_get_part(c->s, &step, path, at, (size_t)size, b, &e);

	free(name);
	if (collect_system_is_lost(rc)) {
		*err = e;
		return rc;
	}
	return 0;
}

/* "armhf: hard float (e_flags); ARMv7, VFPv3-D16, Thumb-2" */
static char *describe(const struct elf_info *e)
{
	struct buf b = BUF_INIT;

	if (e->arch != NULL)
		buf_addstr(&b, e->arch);
	else
		buf_addf(&b, "%s, %d bits", e->machine_name, e->bits);
	if (e->float_abi != ELF_FLOAT_UNKNOWN)
		buf_addf(&b, ", %s float", elf_float_name(e->float_abi));
	if (e->cpu[0] != '\0') {
		buf_addstr(&b, ", made for ");
		buf_addstr(&b, e->cpu);
	}
	if (e->float_conflict)
		buf_addf(&b, " (header %s, loader %s, attributes %s float: they disagree)",
			 text_equal(e->float_origin, "e_flags") ? elf_float_name(e->float_abi)
								: "unknown",
			 elf_float_name(e->interp_float), elf_float_name(e->attr_float));
	return buf_detach(&b);
}

static int read_file(struct collector *c, const char *path, struct elf_info *info, bool *known,
		     struct err *err)
{
	struct buf head = BUF_INIT;
	struct buf tail = BUF_INIT;
	uint64_t at = 0, size = 0;
	int rc = read_piece(c, path, "", 0, HEAD, &head, err);

	*known = false;
	if (rc == 0 && elf_tail(buf_str(&head), head.len, &at, &size) && size <= TAIL_MAX)
		rc = read_piece(c, path, "/end", at, size, &tail, err);
	if (rc == 0) {
		const struct elf_part parts[] = {{0, buf_str(&head), head.len},
						 {at, buf_str(&tail), tail.len}};
		*known = elf_read_parts(parts, 2, info, NULL) == 0;
	}
	buf_release(&head);
	buf_release(&tail);
	return rc;
}

static bool seen(struct strvec *v, const char *path)
{
	for (size_t i = 0; i < v->n; i++) {
		if (text_equal(v->v[i], path))
			return true;
	}
	strvec_push(v, path);
	return v->n > FILES_MAX;
}

/* key: the part behind "elf.". */
static int look(struct elf_look *l, const char *key, const char *path, struct elf_info *info,
		bool *known, struct err *err)
{
	int rc = read_file(l->c, path, info, known, err);

	if (rc == 0 && *known) {
		char *full = mem_printf("elf.%s", key);
		collect_set_owned(l->c->f, full, describe(info), path);
		free(full);
	}
	return rc;
}

/* Libraries that do the work of what is measured; the others only serve to start it. */
static bool does_work(const char *name)
{
	static const char *const starts[] = {
		"libc.so", "libm.so", "libcrypto.so", "libssl.so",   "libstdc++.so", "libgcc_s.so",
		"libz.so", "libpcre", "libxml2.so",   "libapr-1.so", "libphp",       NULL};

	for (size_t i = 0; starts[i] != NULL; i++) {
		if (text_starts(name, starts[i]))
			return true;
	}
	return false;
}

/* "libssl.so.3 => /usr/lib/x86_64-linux-gnu/libssl.so.3 (0x7f...)": name and path, new strings. */
static bool library_of(struct line line, char **name, char **path)
{
	const char *arrow = lines_at(line, " => ");

	if (arrow == NULL)
		return false;
	const char *rest = arrow + 4;
	size_t left = line.len - (size_t)(rest - line.at);
	const char *end = memmem(rest, left, " (0x", 4);
	if (left == 0 || rest[0] != '/' || end == NULL)
		return false;
	*name = lines_text((struct line){line.at, (size_t)(arrow - line.at)});
	*path = mem_strndup(rest, (size_t)(end - rest));
	return true;
}

/* glibc is a program as well, that says its version. */
static int ask_libc(struct collector *c, const char *path, struct err *err)
{
	static const char mark[] = " release version ";
	const char *argv[] = {path, NULL};
	struct buf b = BUF_INIT;
	int rc = collect_ask(c, "libc/itself", argv, NULL, &b, err);
	const char *at = rc == 0 ? strstr(buf_str(&b), mark) : NULL;

	if (at != NULL) {
		at += strlen(mark);
		size_t n = strspn(at, "0123456789.");
		while (n > 0 && at[n - 1] == '.')
			n--;
		collect_set_owned(c->f, "libc.version", mem_printf("glibc %.*s", (int)n, at), path);
	}
	buf_release(&b);
	return rc;
}

/* The loader itself says what a program would load; it runs nothing of it. */
static int look_at_libraries(struct elf_look *l, const char *program, const char *loader,
			     struct err *err)
{
	const char *argv[] = {loader, "--list", program, NULL};
	char *name = step_name(program, "/libraries");
	struct buf b = BUF_INIT;
	struct line line;
	int rc = collect_ask(l->c, name, argv, NULL, &b, err);
	const char *cursor = buf_str(&b);

	while (rc == 0 && lines_next(&cursor, &line)) {
		char *library = NULL, *path = NULL;
		struct elf_info info;
		bool known = false;

		if (!library_of(line, &library, &path))
			continue;
		if (does_work(library) && !seen(&l->seen, path))
			rc = look(l, library, path, &info, &known, err);
		if (rc == 0 && text_equal(library, "libc.so.6") &&
		    factset_get(l->c->f, "libc.version") == NULL)
			rc = ask_libc(l->c, path, err);
		free(library);
		free(path);
	}
	free(name);
	buf_release(&b);
	return rc;
}

int collect_elf(struct collector *c, struct err *err)
{
	const struct {
		const char *key, *path;
	} programs[] = {
		{"openssl", c->p->openssl},       {"mariadb", c->p->mariadbd},
		{"apache", c->p->apache},         {"php", c->p->php_cli},
		{"php_module", c->p->php_module},
	};
	struct elf_look l = {.c = c};
	/* a module has no loader of its own: that of the programs is asked */
	char *loader = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct elf_info info;
		bool known = false;

		if (programs[i].path == NULL)
			continue;
		rc = look(&l, programs[i].key, programs[i].path, &info, &known, err);
		if (rc != 0 || !known)
			continue;
		if (factset_get(c->f, "abi.float") == NULL && info.machine == EM_ARM &&
		    info.float_abi != ELF_FLOAT_UNKNOWN)
			factset_set(c->f, "abi.float", elf_float_name(info.float_abi),
				    programs[i].path);
		if (factset_get(c->f, "arch") == NULL && info.arch != NULL)
			factset_set(c->f, "arch", info.arch, programs[i].path);
		if (info.interp[0] != '\0')
			mem_replace(&loader, mem_strdup(info.interp));
		if (loader != NULL)
			rc = look_at_libraries(&l, programs[i].path, loader, err);
	}
	free(loader);
	strvec_release(&l.seen);
	return rc;
}
