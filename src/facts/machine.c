#include "facts/machine.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "facts/lines.h"

static void set_owned(struct factset *f, const char *key, char *value, const char *origin)
{
	if (value != NULL)
		factset_set(f, key, value, origin);
	free(value);
}

/* The first key of the list that the text has. */
static char *first_of(const char *text, const char *const *keys)
{
	char *value = NULL;

	for (; value == NULL && *keys != NULL; keys++)
		value = lines_find(text, *keys, ":");
	return value;
}

/* "implementer 0x41, part 0xd03": names of the parts that boards of interest have. */
static char *arm_part(const char *text)
{
	static const struct {
		const char *implementer, *part, *name;
	} known[] = {
		{"0x41", "0xb76", "ARM1176"},     {"0x41", "0xc07", "Cortex-A7"},
		{"0x41", "0xc08", "Cortex-A8"},   {"0x41", "0xc09", "Cortex-A9"},
		{"0x41", "0xc0d", "Cortex-A17"},  {"0x41", "0xc0f", "Cortex-A15"},
		{"0x41", "0xd03", "Cortex-A53"},  {"0x41", "0xd04", "Cortex-A35"},
		{"0x41", "0xd05", "Cortex-A55"},  {"0x41", "0xd07", "Cortex-A57"},
		{"0x41", "0xd08", "Cortex-A72"},  {"0x41", "0xd09", "Cortex-A73"},
		{"0x41", "0xd0b", "Cortex-A76"},  {"0x41", "0xd0c", "Neoverse-N1"},
		{"0x41", "0xd40", "Neoverse-V1"}, {"0x41", "0xd49", "Neoverse-N2"},
	};
	char *implementer = lines_find(text, "CPU implementer", ":");
	char *part = lines_find(text, "CPU part", ":");
	char *name = NULL;

	for (size_t i = 0; part != NULL && i < sizeof(known) / sizeof(known[0]); i++) {
		if (text_equal(implementer, known[i].implementer) &&
		    text_equal(part, known[i].part))
			name = mem_strdup(known[i].name);
	}
	if (name == NULL && part != NULL)
		name = mem_printf("implementer %s, part %s",
				  implementer == NULL ? "unknown" : implementer, part);
	free(implementer);
	free(part);
	return name;
}

static bool has_word(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; (p = strstr(p, word)) != NULL; p += n) {
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
			return true;
	}
	return false;
}

void machine_cpuinfo(const char *text, struct factset *f)
{
	/* x86; 32-bit ARM's own wording; MIPS; PowerPC; RISC-V */
	static const char *const models[] = {"model name", "Processor", "cpu model",
					     "cpu",        "uarch",     NULL};
	static const char *const flag_keys[] = {"flags", "Features", "ASEs implemented", "isa",
						NULL};
	static const char origin[] = "/proc/cpuinfo";
	const char *cursor = text;
	struct line l;
	int cores = 0;
	char *model = first_of(text, models);
	char *part = arm_part(text);
	char *board = first_of(text, (const char *const[]){"Model", "machine", NULL});
	char *flags = first_of(text, flag_keys);

	while (lines_next(&cursor, &l)) {
		char *n = lines_value(l, "processor", ":");

		cores += n != NULL;
		free(n);
	}
	if (model == NULL && board != NULL)
		model = mem_strdup(board);
	if (model == NULL && part != NULL)
		model = mem_strdup(part);
	if (flags != NULL && has_word(flags, "hypervisor"))
		factset_set(f, "virtual.cpu_bit", "yes", origin);
	if (cores > 0)
		set_owned(f, "cpu.cores", mem_printf("%d", cores), origin);
	set_owned(f, "cpu.model", model, origin);
	set_owned(f, "cpu.part", part, origin);
	set_owned(f, "cpu.board", board, origin);
	set_owned(f, "cpu.flags", flags, origin);
}

static char *mebibytes(const char *text, const char *key)
{
	char *v = lines_find(text, key, ":");
	char *end = NULL;
	unsigned long long kb = v == NULL ? 0 : strtoull(v, &end, 10);
	char *shown = v == NULL || end == v ? NULL : mem_printf("%llu MiB", kb / 1024);

	free(v);
	return shown;
}

void machine_meminfo(const char *text, struct factset *f)
{
	set_owned(f, "memory.total", mebibytes(text, "MemTotal"), "/proc/meminfo");
	set_owned(f, "memory.swap", mebibytes(text, "SwapTotal"), "/proc/meminfo");
}

void machine_swaps(const char *text, struct factset *f)
{
	struct buf b = BUF_INIT;
	struct line l;
	bool header = true;

	while (lines_next(&text, &l)) {
		char *line = lines_text(l);
		char name[256];
		char type[32];

		if (!header && sscanf(line, "%255s %31s", name, type) == 2)
			buf_addf(&b, "%s%s", b.len == 0 ? "" : ", ",
				 strstr(name, "zram") != NULL ? "zram" : type);
		header = false;
		free(line);
	}
	if (!header)
		factset_set(f, "memory.swap_on", b.len == 0 ? "none" : b.data, "/proc/swaps");
	buf_release(&b);
}

/* The value of a shell-like assignment without its quotes. */
static char *assigned(const char *text, const char *key)
{
	char *v = lines_find(text, key, "=");
	size_t n = v == NULL ? 0 : strlen(v);

	if (n >= 2 && (v[0] == '"' || v[0] == '\'') && v[n - 1] == v[0]) {
		mem_replace(&v, mem_strndup(v + 1, n - 2));
		n -= 2;
	}
	if (v != NULL && n == 0) {
		free(v);
		return NULL;
	}
	return v;
}

void machine_os_release(const char *text, struct factset *f)
{
	char *name = assigned(text, "PRETTY_NAME");

	if (name == NULL)
		name = assigned(text, "NAME");
	set_owned(f, "os.name", name, "/etc/os-release");
	set_owned(f, "os.id", assigned(text, "ID"), "/etc/os-release");
}

void machine_slackware(const char *text, struct factset *f)
{
	struct line l;

	if (!lines_next(&text, &l))
		return;
	char *name = lines_text(l);
	/* "Slackware 14.2+" is current: more exact than os-release's PRETTY_NAME */
	if (name[0] != '\0') {
		factset_set(f, "os.name", name, "/etc/slackware-version");
		if (factset_get(f, "os.id") == NULL)
			factset_set(f, "os.id", "slackware", "/etc/slackware-version");
	}
	free(name);
}

char *machine_chosen(const char *text)
{
	const char *from = strchr(text, '[');
	const char *to = from == NULL ? NULL : strchr(from, ']');

	return to == NULL || to == from + 1 ? NULL : mem_strndup(from + 1, (size_t)(to - from) - 1);
}

char *machine_mhz(const char *khz)
{
	char *copy = mem_strdup(khz);
	uint64_t n = 0;
	char *shown = text_to_u64(text_trim(copy), &n) && n > 0
			      ? mem_printf("%llu MHz", (unsigned long long)(n + 500) / 1000)
			      : NULL;

	free(copy);
	return shown;
}

char *machine_distinct(const char *values)
{
	struct buf b = BUF_INIT;
	struct line l;

	while (lines_next(&values, &l)) {
		char *v = lines_text(l);
		char *padded = mem_printf(", %s,", v);
		char *so_far = mem_printf(", %s,", buf_str(&b));

		if (v[0] != '\0' && strstr(so_far, padded) == NULL)
			buf_addf(&b, "%s%s", b.len == 0 ? "" : ", ", v);
		free(v);
		free(padded);
		free(so_far);
	}
	if (b.len > 0)
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}
