/*
 * alive: which experiments of a store are being measured just now. Whoever
 * measures experiment N holds a lock on byte N of the file STORE-alive; the
 * kernel frees it with its owner, however that ends, and it holds across
 * containers that share the store. The file stays, and is empty. Nothing outside
 * src/store includes this.
 */
#ifndef LAMPDUEL_STORE_ALIVE_H
#define LAMPDUEL_STORE_ALIVE_H

#include <stdbool.h>

#include "store/db.h"

/* An error when another process has it. A file system without locks is none: then nobody can say
 * which experiments live. */
int alive_take(struct store *st, int64_t id, struct err *err);
/* true as well when it cannot be known. */
bool alive_is(const struct store *st, int64_t id);
void alive_drop(struct store *st, int64_t id); /* one that was not taken is left alone */
void alive_close(struct store *st);
/* The state to tell: what is stored as running, and is not measured by anyone, was interrupted.
 * Takes and returns an allocated string. */
char *alive_state(const struct store *st, int64_t id, char *stored);

#endif
