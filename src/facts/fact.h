/*
 * fact: something known of a system (a version, a setting, the CPU), as text.
 * A key is dotted lower case: "php.version", "cpu.model",
 * "setting.mariadb.innodb_buffer_pool_size". Pure: nothing here looks at a machine.
 */
#ifndef LAMPDUEL_FACTS_FACT_H
#define LAMPDUEL_FACTS_FACT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"

struct fact {
	char *key;
	char *value;  /* untrusted text: escape before printing */
	char *origin; /* how it is known: "php -v", "/proc/cpuinfo", "stack"; may be empty */
};

struct factset {
	struct fact *v; /* in the order added */
	size_t n, cap;
};

void factset_release(struct factset *f);
/* Adds a fact, or replaces the value and origin of the one with this key. Copies its arguments. */
void factset_set(struct factset *f, const char *key, const char *value, const char *origin);
/* Takes out every fact whose key begins with prefix. */
void factset_remove(struct factset *f, const char *prefix);
const char *factset_get(const struct factset *f, const char *key); /* NULL when unknown */
void factset_copy(struct factset *to, const struct factset *from);

/*
 * Keys used by more than one module:
 *   arch                  Debian's name: amd64 i386 arm64 armhf armel
 *   abi.float             "soft" or "hard", where the architecture has both
 *   placement.measured    where measured processes run: "CPU 1"
 *   cpu.model  cpu.emulated ("yes"/"no")  cpu.emulator ("qemu-arm 7.2.22, -cpu cortex-a7")
 *   kernel.release  kernel.shared ("yes" for rootfs targets)  storage.device  storage.filesystem
 *   os.name  apache.version  php.version  mariadb.version  openssl.version  wordpress.version
 *   package.NAME          the package's full version
 *   setting.PROGRAM.NAME  a setting that differs from the release's default; origin says why
 */

#endif
