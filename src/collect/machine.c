/* The machine: kernel, CPU, memory, storage, what it is virtualised by. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "collect/internal.h"
#include "facts/effective.h"
#include "facts/lines.h"
#include "facts/machine.h"

typedef void reader_fn(const char *text, struct factset *f);

/* The trimmed text as a new string; NULL when there is none. A device tree's ends with NUL. */
static char *line_of(const struct buf *b)
{
	char *copy = mem_strdup(buf_str(b));
	char *line = mem_strdup(text_trim(copy));

	free(copy);
	if (line[0] != '\0')
		return line;
	free(line);
	return NULL;
}

static int read_texts(struct collector *c, struct err *err)
{
	static const struct {
		const char *path;
		reader_fn *read;
	} rows[] = {
		{"/usr/lib/os-release", machine_os_release},
		{"/etc/os-release", machine_os_release},
		{"/etc/slackware-version", machine_slackware},
		{"/proc/cpuinfo", machine_cpuinfo},
		{"/proc/meminfo", machine_meminfo},
		{"/proc/swaps", machine_swaps},
	};
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		rc = collect_read(c, rows[i].path, &b, err);
		if (rc == 0)
			rows[i].read(buf_str(&b), c->f);
	}
	buf_release(&b);
	return rc;
}

/* Files that hold one value each. */
static int read_values(struct collector *c, struct err *err)
{
	static const char cpufreq[] = "/sys/devices/system/cpu/cpu0/cpufreq/";
	static const struct {
		const char *key, *dir, *file;
		char *(*shown)(const char *text); /* NULL: as it is */
	} rows[] = {
		{"kernel.release", "/proc/sys/kernel/", "osrelease", NULL},
		{"kernel.build", "/proc/sys/kernel/", "version", NULL},
		{"kernel.cmdline", "/proc/", "cmdline", effective_masked_words},
		{"cpu.board", "/sys/firmware/devicetree/base/", "model", NULL},
		{"cpu.governor", cpufreq, "scaling_governor", NULL},
		{"cpu.driver", cpufreq, "scaling_driver", NULL},
		{"cpu.max_mhz", cpufreq, "scaling_max_freq", machine_mhz},
		{"cpu.min_mhz", cpufreq, "scaling_min_freq", machine_mhz},
		{"cpu.hardware_max_mhz", cpufreq, "cpuinfo_max_freq", machine_mhz},
		{"cpu.smt", "/sys/devices/system/cpu/smt/", "control", NULL},
		{"cpu.online", "/sys/devices/system/cpu/", "online", NULL},
		{"memory.hugepages", "/sys/kernel/mm/transparent_hugepage/", "enabled",
		 machine_chosen},
		{"time.clocksource", "/sys/devices/system/clocksource/clocksource0/",
		 "current_clocksource", NULL},
		{"time.zone", "/etc/", "timezone", NULL},
		{"kernel.swappiness", "/proc/sys/vm/", "swappiness", NULL},
		{"kernel.address_randomisation", "/proc/sys/kernel/", "randomize_va_space", NULL},
	};
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *path = mem_printf("%s%s", rows[i].dir, rows[i].file);
		rc = collect_read(c, path, &b, err);
		char *value = rc == 0 ? line_of(&b) : NULL;
		if (value != NULL && rows[i].shown != NULL)
			mem_replace(&value, rows[i].shown(value));
		collect_set_owned(c->f, rows[i].key, value, path);
		free(path);
	}
	buf_release(&b);
	return rc;
}

static int read_virtual(struct collector *c, struct err *err)
{
	static const char *const paths[] = {
		"/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
		"/sys/hypervisor/type", "/run/systemd/container", "/proc/self/cgroup"};
	enum { VENDOR, PRODUCT, HYPERVISOR, CONTAINER, CGROUP, N };
	char *text[N] = {NULL};
	struct buf b = BUF_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < N; i++) {
		rc = collect_read(c, paths[i], &b, err);
		text[i] = rc == 0 ? line_of(&b) : NULL;
	}
	if (rc == 0) {
		bool bit = factset_get(c->f, "virtual.cpu_bit") != NULL;
		const char *board = factset_get(c->f, "cpu.board");

		if (text[VENDOR] != NULL || text[PRODUCT] != NULL)
			collect_set_owned(
				c->f, "machine.product",
				mem_printf("%s%s%s", text[VENDOR] == NULL ? "" : text[VENDOR],
					   text[VENDOR] != NULL && text[PRODUCT] != NULL ? " " : "",
					   text[PRODUCT] == NULL ? "" : text[PRODUCT]),
				"DMI");
		collect_set_owned(
			c->f, "virtual.machine",
			machine_virtual(text[VENDOR], text[PRODUCT], text[HYPERVISOR], bit, board),
			"DMI, /proc/cpuinfo");
		collect_set_owned(c->f, "virtual.container",
				  machine_container(text[CONTAINER], text[CGROUP]),
				  "/run/systemd/container, /proc/self/cgroup");
	}
	for (size_t i = 0; i < N; i++)
		free(text[i]);
	buf_release(&b);
	return rc;
}

/* glibc says its version through getconf, which needs no shell. */
static int read_libc(struct collector *c, struct err *err)
{
	static const char *const version[] = {"getconf", "GNU_LIBC_VERSION", NULL};
	struct buf b = BUF_INIT;
	int rc = collect_ask(c, "libc", version, NULL, &b, err);

	if (rc == 0 && text_starts(buf_str(&b), "glibc "))
		collect_set_owned(c->f, "libc.version", line_of(&b), "getconf");
	if (rc == 0)
		rc = collect_read(c, "/proc/self/smaps", &b, err);
	if (rc == 0)
		collect_set_owned(c->f, "kernel.page_size",
				  lines_find(buf_str(&b), "KernelPageSize", ":"),
				  "/proc/self/smaps");
	buf_release(&b);
	return rc;
}

int collect_machine(struct collector *c, struct err *err)
{
	int rc = read_texts(c, err);

	if (rc == 0)
		rc = read_values(c, err);
	if (rc == 0)
		rc = read_virtual(c, err);
	if (rc == 0)
		rc = read_libc(c, err);
	return rc;
}

/* A disk's (or a partition's disk's) own files: the first folder that answers. */
static int disk_file(struct collector *c, const char *device, const char *file, char **value,
		     struct err *err)
{
	struct buf b = BUF_INIT;
	char *paths[] = {mem_printf("/sys/dev/block/%s/../%s", device, file),
			 mem_printf("/sys/dev/block/%s/%s", device, file)};
	int rc = 0;

	*value = NULL;
	for (size_t i = 0; i < 2; i++) {
		if (rc == 0 && *value == NULL)
			rc = collect_read(c, paths[i], &b, err);
		if (rc == 0 && *value == NULL)
			*value = line_of(&b);
		free(paths[i]);
	}
	buf_release(&b);
	return rc;
}

/* "mmcblk0" out of "DEVNAME=mmcblk0p2" or "/dev/mmcblk0p2"; -1: it is no card. */
static int card_number(const char *text)
{
	const char *at = text == NULL ? NULL : strstr(text, "mmcblk");

	return at == NULL ? -1 : atoi(at + strlen("mmcblk"));
}

static int read_card(struct collector *c, const char *device, int number, struct err *err)
{
	static const char *const files[] = {"device/name", "device/type", "device/date",
					    "device/manfid"};
	enum { N = 4 };
	char *value[N] = {NULL};
	struct buf ios = BUF_INIT;
	char *path = mem_printf("/sys/kernel/debug/mmc%d/ios", number);
	int rc = collect_read(c, path, &ios, err);

	for (size_t i = 0; rc == 0 && i < N; i++)
		rc = disk_file(c, device, files[i], &value[i], err);
	if (rc == 0)
		collect_set_owned(
			c->f, "storage.model",
			machine_card(value[0], value[1], value[2], value[3], buf_str(&ios)),
			"/sys/dev/block, debugfs");
	if (rc == 0 && ios.len == 0)
		factset_set(c->f, "storage.bus", "not known: only root may see the card's mode",
			    path);
	for (size_t i = 0; i < N; i++)
		free(value[i]);
	free(path);
	buf_release(&ios);
	return rc;
}

static int read_disk(struct collector *c, const char *device, struct err *err)
{
	char *vendor = NULL, *model = NULL, *spins = NULL, *scheduler = NULL;
	int rc = disk_file(c, device, "device/vendor", &vendor, err);

	if (rc == 0)
		rc = disk_file(c, device, "device/model", &model, err);
	if (rc == 0)
		rc = disk_file(c, device, "queue/rotational", &spins, err);
	if (rc == 0)
		rc = disk_file(c, device, "queue/scheduler", &scheduler, err);
	/* a virtio disk's vendor is a number, and says nothing */
	bool named = vendor != NULL && !text_starts(vendor, "0x");
	if (model != NULL)
		collect_set_owned(c->f, "storage.model",
				  mem_printf("%s%s%s%s", named ? vendor : "", named ? " " : "",
					     model, text_equal(spins, "1") ? " (hard disk)" : ""),
				  "/sys/dev/block");
	else if (spins != NULL && factset_get(c->f, "storage.model") == NULL)
		factset_set(c->f, "storage.kind",
			    text_equal(spins, "1") ? "said to turn" : "said not to turn",
			    "/sys/dev/block");
	if (scheduler != NULL)
		collect_set_owned(c->f, "storage.scheduler",
				  strchr(scheduler, '[') != NULL ? machine_chosen(scheduler)
								 : mem_strdup(scheduler),
				  "/sys/dev/block");
	free(vendor);
	free(model);
	free(spins);
	free(scheduler);
	return rc;
}

int collect_storage(struct collector *c, struct err *err)
{
	static const char origin[] = "/proc/self/mountinfo";
	struct machine_mount m = {0};
	struct buf b = BUF_INIT;
	char *event = NULL;
	int rc = collect_read(c, origin, &b, err);

	if (rc == 0 && machine_mount_of(buf_str(&b), c->s->run_dir_inside, &m)) {
		factset_set(c->f, "storage.device", m.source, origin);
		factset_set(c->f, "storage.filesystem", m.type, origin);
		factset_set(c->f, "storage.options", m.options, origin);
		char *path = mem_printf("/sys/dev/block/%s/uevent", m.device);
		rc = collect_read(c, path, &b, err);
		event = mem_strdup(buf_str(&b));
		free(path);
		int card = card_number(event);
		if (card < 0)
			card = card_number(m.source);
		if (rc == 0 && card >= 0)
			rc = read_card(c, m.device, card, err);
		if (rc == 0)
			rc = read_disk(c, m.device, err);
	}
	machine_mount_release(&m);
	free(event);
	buf_release(&b);
	return rc;
}
