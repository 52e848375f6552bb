/*
 * machine: what a Linux machine's own files say of it: /proc, /sys and /etc, as
 * proc(5), the kernel's admin guide and the distributions' manuals describe
 * them. Pure: text in, facts out; what a text does not say is left out.
 */
#ifndef LAMPDUEL_FACTS_MACHINE_H
#define LAMPDUEL_FACTS_MACHINE_H

#include "facts/fact.h"

/* /proc/cpuinfo: cpu.model, cpu.board, cpu.part, cpu.cores, cpu.flags, virtual.cpu_bit. */
void machine_cpuinfo(const char *text, struct factset *f);
/* /proc/meminfo: memory.total and memory.swap, in MiB. */
void machine_meminfo(const char *text, struct factset *f);
/* /proc/swaps: memory.swap_on, "zram", "partition", "file" or "none". */
void machine_swaps(const char *text, struct factset *f);
/* /etc/os-release: os.name, os.id. */
void machine_os_release(const char *text, struct factset *f);
/* /etc/slackware-version, as os.name where os-release does not say more. */
void machine_slackware(const char *text, struct factset *f);
/* /sys/kernel/mm/transparent_hugepage/enabled and the like: the word in [brackets], or NULL. */
char *machine_chosen(const char *text);
/* A frequency in kHz, as cpufreq tells it: "1200 MHz", or NULL. */
char *machine_mhz(const char *khz);
/* Several values of one key, as lines: the different ones, in the order they come, or NULL. */
char *machine_distinct(const char *values);

/* What the line of mountinfo says of the place that holds a path; strings are new. */
struct machine_mount {
	char *source, *type, *options;
	char *device; /* "179:2" */
};
/* The last of the longest mount points that hold path; false when there is none. */
bool machine_mount_of(const char *mountinfo, const char *path, struct machine_mount *out);
void machine_mount_release(struct machine_mount *m);

/*
 * An MMC or SD card's own words: name, type ("SD"), date ("10/2015"), maker's number, and what
 * debugfs says of its bus (text of .../mmc0/ios); each may be NULL. "SD card SC16G, made 10/2015,
 * maker 0x03 (SanDisk), UHS-I SDR50 at 50 MHz"; NULL when nothing is known.
 */
char *machine_card(const char *name, const char *type, const char *date, const char *maker,
		   const char *ios);

/*
 * How the machine is virtualised: words of DMI (vendor and product), /sys/hypervisor/type, whether
 * the CPU says that it is virtual, and the device tree's model (NULL: there is none). "none",
 * "KVM", "Xen"; NULL: it cannot be told.
 */
char *machine_virtual(const char *vendor, const char *product, const char *hypervisor, bool cpu_bit,
		      const char *board);
/* The environment of process 1 or /run/systemd/container: "lxc", "docker"; NULL when in none. */
char *machine_container(const char *container, const char *cgroup);

#endif
