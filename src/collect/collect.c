#include "collect/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

enum { FILE_MAX = 1 << 20 };

/* Lines "key<blanks>: value" of /proc/cpuinfo: the first value of key. */
static char *cpuinfo_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; *line != '\0';) {
		size_t n = strcspn(line, "\n");
		if (strncmp(line, key, len) == 0) {
			const char *p = line + len;
			while (*p == ' ' || *p == '\t')
				p++;
			if (*p == ':') {
				char *v = mem_strndup(p + 1, n - (size_t)(p + 1 - line));
				char *trimmed = mem_strdup(text_trim(v));
				free(v);
				if (trimmed[0] != '\0')
					return trimmed;
				free(trimmed);
			}
		}
		line += n;
		line += *line == '\n';
	}
	return NULL;
}

char *collect_cpu_model(const char *cpuinfo)
{
	/* x86, then a board's name (ARM), then 32-bit ARM's own wording */
	static const char *const keys[] = {"model name", "Model", "Processor",
					   "cpu model",  "cpu",   NULL};

	for (size_t i = 0; keys[i] != NULL; i++) {
		char *v = cpuinfo_value(cpuinfo, keys[i]);
		if (v != NULL)
			return v;
	}
	return NULL;
}

char *collect_os_name(const char *os_release)
{
	static const char key[] = "PRETTY_NAME=";
	const char *at = strstr(os_release, key);

	if (at == NULL || (at != os_release && at[-1] != '\n'))
		return NULL;
	at += sizeof(key) - 1;
	size_t n = strcspn(at, "\n");
	if (n >= 2 && (*at == '"' || *at == '\'')) {
		at++;
		n -= 2;
	}
	return n == 0 ? NULL : mem_strndup(at, n);
}

/* Is dir the folder path lies in, as whole components? */
static bool holds(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(dir, path, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/*
 * A line of mountinfo (proc(5)): "36 35 98:0 /root /mount/point options [tags] - type source
 * super". The last line of the longest mount point that holds path counts.
 */
char *collect_storage(const char *mountinfo, const char *path)
{
	char *copy = mem_strdup(mountinfo);
	char *save = NULL;
	char *found = NULL;
	size_t longest = 0;

	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		char *dash = strstr(line, " - ");
		char point[4096];
		char type[64];
		char source[1024];
		if (dash == NULL || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 ||
		    sscanf(dash + 3, "%63s %1023s", type, source) != 2)
			continue;
		if (holds(point, path) && strlen(point) >= longest) {
			longest = strlen(point);
			mem_replace(&found, mem_printf("%s (%s)", source, type));
		}
	}
	free(copy);
	return found;
}

/* The text of a file inside, or "" when it cannot be read. */
static int slurp(struct system *s, const char *path, struct buf *b, struct err *err)
{
	struct step step = {.name = path, .round = 0, .attempt = 1};
	struct err e = ERR_INIT;

	buf_clear(b);
	int rc = system_get(s, &step, path, FILE_MAX, b, &e);
	if (rc == ERR_GONE || rc == ERR_INTERRUPTED) {
		if (err != NULL)
			*err = e;
		return rc;
	}
	if (rc != 0)
		buf_clear(b);
	buf_addstr(b, "");
	return 0;
}

static void set_owned(struct factset *f, const char *key, char *value, const char *origin)
{
	if (value != NULL)
		factset_set(f, key, value, origin);
	free(value);
}

static int collect_kernel(struct system *s, struct factset *f, struct err *err)
{
	static const char path[] = "/proc/sys/kernel/osrelease";
	struct buf b = BUF_INIT;
	int rc = slurp(s, path, &b, err);

	if (rc == 0 && b.len > 0)
		factset_set(f, "kernel.release", text_trim(b.data), path);
	if (rc == 0)
		rc = slurp(s, "/proc/cpuinfo", &b, err);
	if (rc == 0)
		set_owned(f, "cpu.model", collect_cpu_model(buf_str(&b)), "/proc/cpuinfo");
	if (rc == 0)
		rc = slurp(s, "/proc/self/mountinfo", &b, err);
	if (rc == 0)
		set_owned(f, "storage.device", collect_storage(buf_str(&b), s->run_dir_inside),
			  "/proc/self/mountinfo");
	if (rc == 0)
		rc = slurp(s, "/etc/os-release", &b, err);
	if (rc == 0)
		set_owned(f, "os.name", collect_os_name(buf_str(&b)), "/etc/os-release");
	buf_release(&b);
	return rc;
}

static void collect_programs(const struct stack_programs *p, struct factset *f)
{
	const struct {
		const char *key, *value, *origin;
	} rows[] = {
		{"apache.version", p->apache_version, p->apache},
		{"mariadb.version", p->mariadb_version, p->mariadbd},
		{"php.version", p->php_version, p->php_cli},
		{"openssl.version", p->openssl_version, p->openssl},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].value != NULL)
			factset_set(f, rows[i].key, rows[i].value, rows[i].origin);
	}
}

/* What a kind of system knows of itself, it said itself, and how it knows. */
static void set_unless_known(struct factset *f, const char *key, const char *value)
{
	if (value != NULL && factset_get(f, key) == NULL)
		factset_set(f, key, value, "");
}

static void collect_emulation(const struct system *s, struct factset *f)
{
	char *by = system_emulated_by(s);

	set_unless_known(f, "cpu.emulated", s->emulated ? "yes" : "no");
	set_unless_known(f, "cpu.emulator", by);
	set_unless_known(f, "arch", s->arch);
	set_unless_known(f, "kernel.shared", s->is_rootfs ? "yes" : NULL);
	set_unless_known(f, "placement.measured", s->placement_text[PLACE_MEASURED]);
	free(by);
}

int collect_facts(struct system *s, const struct stack_programs *p, struct factset *f,
		  struct err *err)
{
	factset_copy(f, &s->facts);
	collect_emulation(s, f);
	collect_programs(p, f);
	return collect_kernel(s, f, err);
}
