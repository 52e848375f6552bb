#include "system/emulate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/proc.h"
#include "base/text.h"
#include "facts/elf.h"

/* Debian's name, QEMU's, and the model that is taken when none is asked for. */
static const struct {
	const char *arch, *qemu, *cpu;
} emulators[] = {
	/* the default models announce cryptographic instructions that the small boards lack and
	 * OpenSSL would use */
	{"armhf", "arm", "cortex-a7"},
	{"armel", "arm", "cortex-a7"},
	{"arm64", "aarch64", "cortex-a53"},
	{"amd64", "x86_64", NULL},
	{"i386", "i386", NULL},
	{"armeb", "armeb", NULL},
	{"riscv64", "riscv64", NULL},
	{"loong64", "loongarch64", NULL},
	{"ppc64el", "ppc64le", NULL},
	{"ppc64", "ppc64", NULL},
	{"powerpc", "ppc", NULL},
	{"s390x", "s390x", NULL},
	{"mips64el", "mips64el", NULL},
	{"mips64", "mips64", NULL},
	{"mipsel", "mipsel", NULL},
	{"mips", "mips", NULL},
	{"sparc64", "sparc64", NULL},
	{"alpha", "alpha", NULL},
	{"hppa", "hppa", NULL},
	{"m68k", "m68k", NULL},
	{"sh4", "sh4", NULL},
};

/* uname -m and what its CPU runs: names with a blank around each. */
static const struct {
	const char *machine, *arches;
} natives[] = {
	{"x86_64", " amd64 i386 x32 "}, {"i686", " i386 "},          {"i586", " i386 "},
	{"aarch64", " arm64 "},         {"armv8l", " armhf armel "}, {"armv7l", " armhf armel "},
	{"armv6l", " armel "}, /* Debian's armhf needs ARMv7 */
	{"armv5tel", " armel "},        {"armv5tejl", " armel "},    {"riscv64", " riscv64 "},
	{"loongarch64", " loong64 "},   {"ppc64le", " ppc64el "},    {"ppc64", " ppc64 powerpc "},
	{"ppc", " powerpc "},           {"s390x", " s390x "},
};

void emulate_host_init(struct emulate_host *h)
{
	struct utsname u;

	*h = (struct emulate_host){.binfmt_dir = "/proc/sys/fs/binfmt_misc",
				   .os_release = "/etc/os-release"};
	if (uname(&u) == 0)
		(void)snprintf(h->machine, sizeof(h->machine), "%s", u.machine);
	/* an arm64 CPU without 32-bit state makes the kernel refuse this personality */
	int now = personality(0xffffffff);
	if (now >= 0 && personality(PER_LINUX32) >= 0) {
		h->compat32 = true;
		(void)personality((unsigned long)now);
	}
	/* a personality of 32 bits names the machine after it */
	if (now >= 0 && ((unsigned)now & PER_MASK) == PER_LINUX32) {
		if (personality(PER_LINUX) >= 0 && uname(&u) == 0)
			(void)snprintf(h->machine, sizeof(h->machine), "%s", u.machine);
		(void)personality((unsigned long)now);
	}
}

const char *emulate_qemu_name(const char *arch)
{
	for (size_t i = 0; i < sizeof(emulators) / sizeof(emulators[0]); i++) {
		if (text_equal(emulators[i].arch, arch))
			return emulators[i].qemu;
	}
	return NULL;
}

static const char *default_cpu(const char *arch)
{
	for (size_t i = 0; i < sizeof(emulators) / sizeof(emulators[0]); i++) {
		if (text_equal(emulators[i].arch, arch))
			return emulators[i].cpu;
	}
	return NULL;
}

bool emulate_cpu_runs(const struct emulate_host *h, const char *arch)
{
	char *word = mem_printf(" %s ", arch);
	bool found = false;

	for (size_t i = 0; i < sizeof(natives) / sizeof(natives[0]); i++) {
		if (strcmp(natives[i].machine, h->machine) == 0)
			found = strstr(natives[i].arches, word) != NULL;
	}
	if (strcmp(h->machine, "aarch64") == 0 && h->compat32)
		found = found || strcmp(arch, "armhf") == 0 || strcmp(arch, "armel") == 0;
	free(word);
	return found;
}

/* An older ARM loads ARMv7 programs and then stops at their first new instruction. */
static bool cpu_too_old(const struct emulate_host *h, const char *arch)
{
	return strcmp(arch, "armhf") == 0 &&
	       (text_starts(h->machine, "armv6") || text_starts(h->machine, "armv5"));
}

/* "7f454c46" to bytes; their number, or 0 when it is no such text or too long. */
static size_t read_hex(const char *s, unsigned char *out, size_t max)
{
	size_t n = 0;

	while (s[0] != '\0' && s[1] != '\0' && n < max) {
		char pair[3] = {s[0], s[1], '\0'};
		char *end = NULL;

		out[n++] = (unsigned char)strtoul(pair, &end, 16);
		if (end != pair + 2)
			return 0;
		s += 2;
	}
	return s[0] == '\0' ? n : 0;
}

struct binfmt_entry {
	bool enabled;
	char interpreter[PATH_MAX];
	unsigned long offset;
	unsigned char magic[128], mask[128];
	size_t magic_len, mask_len;
};

static void read_entry_line(char *line, struct binfmt_entry *e)
{
	if (strcmp(line, "enabled") == 0)
		e->enabled = true;
	else if (text_starts(line, "interpreter "))
		(void)snprintf(e->interpreter, sizeof(e->interpreter), "%s", line + 12);
	else if (text_starts(line, "offset "))
		e->offset = strtoul(line + 7, NULL, 10);
	else if (text_starts(line, "magic "))
		e->magic_len = read_hex(line + 6, e->magic, sizeof(e->magic));
	else if (text_starts(line, "mask "))
		e->mask_len = read_hex(line + 5, e->mask, sizeof(e->mask));
}

static bool entry_fits(const struct binfmt_entry *e, const unsigned char *header)
{
	if (!e->enabled || e->magic_len == 0 || e->offset > ELF_SAMPLE ||
	    e->magic_len > ELF_SAMPLE - e->offset)
		return false;
	for (size_t i = 0; i < e->magic_len; i++) {
		unsigned char mask = i < e->mask_len ? e->mask[i] : 0xff;

		if ((header[e->offset + i] & mask) != (e->magic[i] & mask))
			return false;
	}
	return true;
}

/* The interpreter of the entry in path when it fits arch, else NULL. */
static char *entry_interpreter(const char *path, const char *arch)
{
	struct buf text = BUF_INIT;
	struct binfmt_entry *e = mem_alloc(sizeof(*e));
	unsigned char header[ELF_SAMPLE];
	char *save = NULL;
	char *found = NULL;

	if (fs_read(path, 65536, &text, NULL) == 0 && text.len > 0) {
		for (char *line = strtok_r(text.data, "\n", &save); line != NULL;
		     line = strtok_r(NULL, "\n", &save))
			read_entry_line(line, e);
		for (int pie = 0; pie < 2 && found == NULL; pie++) {
			if (elf_sample_header(arch, pie != 0, header) && entry_fits(e, header))
				found = mem_strdup(e->interpreter);
		}
	}
	free(e);
	buf_release(&text);
	return found;
}

char *emulate_binfmt(const struct emulate_host *h, const char *arch)
{
	struct strvec names = STRVEC_INIT;
	struct buf status = BUF_INIT;
	char *found = NULL;
	char *path = fs_join(h->binfmt_dir, "status");

	bool on =
		fs_read(path, 4096, &status, NULL) == 0 && text_starts(buf_str(&status), "enabled");
	free(path);
	if (on && fs_list(h->binfmt_dir, &names, NULL) == 0) {
		for (size_t i = 0; i < names.n && found == NULL; i++) {
			if (strcmp(names.v[i], "status") == 0 ||
			    strcmp(names.v[i], "register") == 0)
				continue;
			path = fs_join(h->binfmt_dir, names.v[i]);
			found = entry_interpreter(path, arch);
			free(path);
		}
	}
	strvec_release(&names);
	buf_release(&status);
	return found;
}

/* In the child: stops itself at the first instruction of what the kernel loads for path. */
static _Noreturn void load_and_stop(const char *path)
{
	char *const argv[] = {(char *)(uintptr_t)path, NULL};
	char *const env[] = {NULL};
	int null = open("/dev/null", O_RDWR);

	if (null >= 0) {
		(void)dup2(null, 0);
		(void)dup2(null, 1);
		(void)dup2(null, 2);
	}
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(2);
	(void)execve(path, argv, env);
	_exit(errno == ENOEXEC || errno == EINVAL || errno == ELIBBAD ? 1 : 2);
}

enum emulate_answer emulate_ask_kernel(const char *path, char **other)
{
	enum emulate_answer answer = EMULATE_UNKNOWN;
	int status = 0;

	*other = NULL;
	pid_t pid = fork();
	if (pid < 0)
		return EMULATE_UNKNOWN;
	if (pid == 0)
		load_and_stop(path);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status))
		return WEXITSTATUS(status) == 1 ? EMULATE_REFUSED : EMULATE_UNKNOWN;
	if (WIFSTOPPED(status)) {
		char *link = mem_printf("/proc/%d/exe", (int)pid);
		char target[PATH_MAX];
		ssize_t n = readlink(link, target, sizeof(target) - 1);
		struct stat loaded;
		struct stat asked;

		if (n > 0 && stat(link, &loaded) == 0 && stat(path, &asked) == 0) {
			target[n] = '\0';
			answer = loaded.st_ino == asked.st_ino && loaded.st_dev == asked.st_dev
					 ? EMULATE_NATIVE
					 : EMULATE_OTHER;
			if (answer == EMULATE_OTHER)
				*other = mem_strdup(target);
		}
		free(link);
		(void)kill(pid, SIGKILL);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	return answer;
}

/* The value of KEY= in an os-release file, without quotes; "" when missing. */
static void os_release_value(const char *path, const char *key, char *out, size_t size)
{
	struct buf text = BUF_INIT;
	char *save = NULL;

	out[0] = '\0';
	if (fs_read(path, 65536, &text, NULL) == 0 && text.len > 0) {
		for (char *line = strtok_r(text.data, "\n", &save); line != NULL;
		     line = strtok_r(NULL, "\n", &save)) {
			size_t n = strlen(key);

			if (strncmp(line, key, n) != 0 || line[n] != '=')
				continue;
			char *value = line + n + 1;
			value += strspn(value, "\"'");
			value[strcspn(value, "\"'")] = '\0';
			(void)snprintf(out, size, "%s", value);
		}
	}
	buf_release(&text);
}

const char *emulate_package(const struct emulate_host *h)
{
	char id[32];
	char version[32];

	os_release_value(h->os_release, "ID", id, sizeof(id));
	os_release_value(h->os_release, "VERSION_ID", version, sizeof(version));
	/* one static qemu-user replaced the two packages; testing and unstable have no number */
	long first = strcmp(id, "ubuntu") == 0 ? 26 : 13;
	return version[0] != '\0' && strtol(version, NULL, 10) < first ? "qemu-user-static"
								       : "qemu-user";
}

static bool is_static_program(const char *path)
{
	struct buf head = BUF_INIT;
	struct elf_info info;

	bool yes = fs_read_head(path, ELF_HEAD, &head, NULL) == 0 &&
		   elf_read(head.data, head.len, &info, NULL) == 0 && info.is_static;
	buf_release(&head);
	return yes;
}

static char *find_named(const struct emulate_host *h, const char *name)
{
	return h->folders == NULL ? proc_find(name) : proc_find_in(h->folders, name);
}

/* interpreter: of the kernel's own choice, or NULL. It is taken when it can stand alone. */
static char *find_program(const struct emulate_host *h, const char *qemu, const char *interpreter)
{
	if (interpreter != NULL) {
		char *real = realpath(interpreter, NULL);
		if (real != NULL && access(real, X_OK) == 0 && is_static_program(real))
			return real;
		free(real);
	}
	if (qemu == NULL)
		return NULL;
	char *name = mem_printf("qemu-%s-static", qemu);
	char *found = find_named(h, name);
	if (found == NULL) {
		mem_replace(&name, mem_printf("qemu-%s", qemu));
		found = find_named(h, name);
		if (found != NULL && !is_static_program(found))
			mem_replace(&found, NULL);
	}
	free(name);
	return found;
}

/* Fills name and version from the first line of PROGRAM --version. */
static int read_version(struct emulation *e, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	struct proc_result r;

	strvec_push(&argv, e->program);
	strvec_push(&argv, "--version");
	int rc = proc_run(argv.v, 20 * NS_PER_S, NULL, &r, err);
	if (rc == 0 && r.exit_code != 0)
		rc = err_set(err, "%s --version failed: the emulator cannot be used", e->program);
	if (rc == 0) {
		const char *base = strrchr(e->program, '/') + 1;
		size_t n = strlen(base);

		if (text_ends(base, "-static"))
			n -= strlen("-static");
		e->name = mem_strndup(base, n);
		/* "qemu-arm version 7.2.22 (Debian ...)" */
		const char *version = strstr(buf_str(&r.out), "version ");
		version = version == NULL ? "" : version + strlen("version ");
		e->version = mem_strndup(version, strcspn(version, " \n\r("));
	}
	strvec_release(&argv);
	proc_result_release(&r);
	return rc;
}

static bool has_word(const char *text, const char *word, size_t n)
{
	for (const char *p = strstr(text, " "); p != NULL; p = strpbrk(p, " \n\t")) {
		p += strspn(p, " \n\t\r");
		if (strncmp(p, word, n) == 0 && (p[n] == '\0' || strchr(" \n\t\r", p[n]) != NULL))
			return true;
	}
	return false;
}

static int check_cpu(const struct emulation *e, const char *cpu, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	struct proc_result r;

	strvec_push(&argv, e->program);
	strvec_push(&argv, "-cpu");
	strvec_push(&argv, "help");
	int rc = proc_run(argv.v, 20 * NS_PER_S, NULL, &r, err);
	/* "max,aes=off": a model with its properties switched */
	if (rc == 0 && r.out.len > 0 && !has_word(r.out.data, cpu, strcspn(cpu, ",")))
		rc = err_code(err, ERR_USAGE, "%s knows no CPU '%s' (%s -cpu help lists them)",
			      e->name, cpu, e->program);
	strvec_release(&argv);
	proc_result_release(&r);
	return rc;
}

static int set_emulator(const struct emulate_host *h, const char *arch, const char *interpreter,
			const char *cpu, struct emulation *e, struct err *err)
{
	const char *qemu = emulate_qemu_name(arch);

	e->emulated = true;
	e->program = find_program(h, qemu, interpreter);
	if (e->program == NULL && qemu == NULL)
		return err_set(err,
			       "%s programs do not run on this machine (%s), and no emulator "
			       "for them is known",
			       arch, h->machine);
	if (e->program == NULL)
		return err_set(err,
			       "%s programs do not run natively here (%s) and the emulator qemu-%s "
			       "is missing: apt-get install %s",
			       arch, e->reason, qemu, emulate_package(h));
	int rc = read_version(e, err);
	bool is_qemu = rc == 0 && text_starts(e->name, "qemu-");
	if (rc == 0 && cpu != NULL && !is_qemu)
		rc = err_code(err, ERR_USAGE, "the CPU of %s cannot be chosen", e->program);
	if (rc == 0 && cpu != NULL)
		rc = check_cpu(e, cpu, err);
	if (rc == 0 && is_qemu)
		e->cpu = mem_strdup(cpu == NULL ? default_cpu(arch) : cpu);
	return rc;
}

int emulate_find(const struct emulate_host *h, const char *arch, const char *sample,
		 const char *cpu, struct emulation *e, struct err *err)
{
	*e = (struct emulation){0};
	char *interpreter = emulate_binfmt(h, arch);
	char *loaded = NULL;
	enum emulate_answer answer =
		sample == NULL ? EMULATE_UNKNOWN : emulate_ask_kernel(sample, &loaded);
	bool native = answer == EMULATE_NATIVE && !cpu_too_old(h, arch);
	int rc = 0;

	if (answer == EMULATE_UNKNOWN)
		native = emulate_cpu_runs(h, arch);
	if (interpreter != NULL) {
		native = false;
		e->reason = mem_printf("binfmt_misc hands them to %s", interpreter);
	} else if (answer == EMULATE_OTHER) {
		/* the entry is there without being shown, as in a container */
		e->reason = mem_printf("the kernel hands them to %s", loaded);
	} else if (native) {
		e->reason = mem_printf("this CPU (%s) runs them", h->machine);
	} else {
		e->reason = mem_printf("this CPU (%s) does not run them", h->machine);
	}
	if (!native)
		rc = set_emulator(h, arch, interpreter != NULL ? interpreter : loaded, cpu, e, err);
	else if (cpu != NULL)
		rc = err_code(err, ERR_USAGE,
			      "the CPU model %s cannot be had: %s programs run natively here", cpu,
			      arch);
	free(interpreter);
	free(loaded);
	if (rc != 0)
		emulation_release(e);
	return rc;
}

void emulation_release(struct emulation *e)
{
	free(e->reason);
	free(e->program);
	free(e->name);
	free(e->version);
	free(e->cpu);
	*e = (struct emulation){0};
}

char *emulation_text(const struct emulation *e)
{
	if (!e->emulated)
		return NULL;
	return mem_printf("%s%s%s%s%s", e->name, e->version[0] == '\0' ? "" : " ", e->version,
			  e->cpu == NULL ? "" : ", -cpu ", e->cpu == NULL ? "" : e->cpu);
}
