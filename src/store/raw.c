#include "store/raw.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/mem.h"
#include "store/store.h"

/* More than any execution prints; beyond it a length in the file is damage. */
enum { RAW_MAX = 1 << 30 };

int raw_write(struct store *st, int64_t execution, const struct buf *raw, struct err *err)
{
	if (raw == NULL || raw->len == 0)
		return 0;
	if (raw->len > RAW_MAX)
		return err_set(err, "an output of %zu bytes is too long to store", raw->len);

	uLongf len = compressBound(raw->len);
	Bytef *data = mem_alloc(len);
	if (compress2(data, &len, (const Bytef *)raw->data, raw->len, Z_BEST_SPEED) != Z_OK)
		mem_exhausted();
	sqlite3_stmt *s =
		db_prepare(st, err, "INSERT INTO output (execution, length, data) VALUES (?, ?, ?)",
			   "ii", execution, (int64_t)raw->len);
	int rc = s == NULL ? ERR_FAIL : 0;
	if (rc == 0 && sqlite3_bind_blob64(s, 3, data, len, SQLITE_STATIC) != SQLITE_OK)
		rc = db_fail(st, "write", err);
	if (rc == 0)
		rc = db_step(st, s, err);
	(void)sqlite3_finalize(s);
	free(data);
	return rc;
}

static int unpack(struct store *st, int64_t execution, sqlite3_stmt *s, struct buf *out,
		  struct err *err)
{
	int64_t length = sqlite3_column_int64(s, 0);
	const void *data = sqlite3_column_blob(s, 1);
	uLong packed = (uLong)sqlite3_column_bytes(s, 1);

	if (length > 0 && length <= RAW_MAX && data != NULL) {
		uLongf len = (uLongf)length;
		Bytef *to = (Bytef *)buf_reserve(out, len);
		if (uncompress(to, &len, data, packed) == Z_OK && len == (uLongf)length) {
			out->len += len;
			out->data[out->len] = '\0';
			return 0;
		}
		out->data[out->len] = '\0';
	}
	return err_set(err, "the output of execution %lld in the store %s is damaged",
		       (long long)execution, st->path);
}

int store_raw(struct store *st, int64_t execution, struct buf *out, struct err *err)
{
	sqlite3_stmt *s = db_prepare(st, err,
				     "SELECT o.length, o.data FROM execution x LEFT JOIN output o"
				     " ON o.execution = x.id WHERE x.id = ?",
				     "i", execution);
	if (s == NULL)
		return ERR_FAIL;
	int rc = db_step(st, s, err);
	if (rc == 0)
		rc = err_set(err, "no execution %lld in the store %s", (long long)execution,
			     st->path);
	else if (rc == 1 && sqlite3_column_type(s, 0) != SQLITE_NULL)
		rc = unpack(st, execution, s, out, err);
	else if (rc == 1)
		rc = 0;
	(void)sqlite3_finalize(s);
	return rc;
}
