/*
 * raw: what programs printed, compressed with zlib; the length before
 * compression is kept beside it, so that unpacking needs one buffer of known size.
 */
#ifndef LAMPDUEL_STORE_RAW_H
#define LAMPDUEL_STORE_RAW_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/db.h"

/* Inside the caller's transaction. An empty raw stores nothing. */
int raw_write(struct store *st, int64_t execution, const struct buf *raw, struct err *err);

#endif
