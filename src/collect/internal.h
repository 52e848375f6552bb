/* internal: what the files of collect share. Nothing outside src/collect includes this. */
#ifndef LAMPDUEL_COLLECT_INTERNAL_H
#define LAMPDUEL_COLLECT_INTERNAL_H

#include "collect/collect.h"

struct collector {
	struct system *s;
	const struct stack_programs *p;
	struct factset *f;
};

/* After this error the system cannot be used; others only leave a fact out. */
bool collect_system_is_lost(int rc);
/*
 * The text of a file inside, into b; "" when it cannot be read. An error only when the system
 * cannot be used.
 */
int collect_read(struct collector *c, const char *path, struct buf *b, struct err *err);
/*
 * What a program prints (stdout, then stderr where that is empty), "" when it cannot be run or
 * fails. name: the step's, below "facts/". env may be NULL.
 */
int collect_ask(struct collector *c, const char *name, const char *const *argv,
		const struct strvec *env, struct buf *b, struct err *err);
void collect_set_owned(struct factset *f, const char *key, char *value, const char *origin);

int collect_machine(struct collector *c, struct err *err);
int collect_storage(struct collector *c, struct err *err);
int collect_settings(struct collector *c, struct err *err);
int collect_packages(struct collector *c, struct err *err);
int collect_elf(struct collector *c, struct err *err);

#endif
