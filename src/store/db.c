#include "store/db.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"

int db_fail(struct store *st, const char *what, struct err *err)
{
	int code = sqlite3_errcode(st->db);
	int errnum = sqlite3_system_errno(st->db);

	switch (code & 0xff) {
	case SQLITE_FULL:
		return err_set(err,
			       "cannot %s the store %s: no space left on its disk; free some and "
			       "repeat",
			       what, st->path);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(err,
			       "the store %s is damaged or is no lampduel store; move it away or "
			       "put a copy in its place",
			       st->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err,
			       "cannot %s the store %s: another process keeps it locked; repeat "
			       "when that one has ended",
			       what, st->path);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return err_set(err,
			       "cannot write the store %s: no permission; make the file and its "
			       "folder writable or use another store",
			       st->path);
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		if (errnum == ENOSPC || errnum == EDQUOT)
			return err_set(err,
				       "cannot %s the store %s: %s; free some space and repeat",
				       what, st->path, strerror(errnum));
		if (errnum == EFBIG)
			return err_set(err,
				       "cannot %s the store %s: %s; raise the limit of file sizes "
				       "(ulimit -f) and repeat",
				       what, st->path, strerror(errnum));
		if (errnum != 0)
			return err_set(err, "cannot %s the store %s: %s", what, st->path,
				       strerror(errnum));
		/* SQLite does not keep errno when it is the commit that fails */
		return err_set(err,
			       "cannot %s the store %s: %s; look at its disk, at the limit of file "
			       "sizes (ulimit -f) and at the kernel's log",
			       what, st->path, sqlite3_errmsg(st->db));
	case SQLITE_NOMEM:
		mem_exhausted();
	default:
		break;
	}
	return err_set(err, "cannot %s the store %s: %s", what, st->path, sqlite3_errmsg(st->db));
}

int db_no_experiment(const struct store *st, int64_t id, struct err *err)
{
	return err_set(err,
		       "no experiment %lld in the store %s; lampduel list shows those there are",
		       (long long)id, st->path);
}

int db_exec(struct store *st, const char *sql, struct err *err)
{
	if (sqlite3_exec(st->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return db_fail(st, "write", err);
	return 0;
}

static int bind_all(sqlite3_stmt *s, const char *types, va_list ap)
{
	int rc = SQLITE_OK;

	for (int i = 0; types[i] != '\0' && rc == SQLITE_OK; i++) {
		const char *text = NULL;

		switch (types[i]) {
		case 'i':
			rc = sqlite3_bind_int64(s, i + 1, va_arg(ap, int64_t));
			break;
		case 'n':
			rc = sqlite3_bind_int(s, i + 1, va_arg(ap, int));
			break;
		case 'd':
			rc = sqlite3_bind_double(s, i + 1, va_arg(ap, double));
			break;
		default:
			text = va_arg(ap, const char *);
			rc = sqlite3_bind_text(s, i + 1, text == NULL ? "" : text, -1,
					       SQLITE_TRANSIENT);
			break;
		}
	}
	return rc;
}

static sqlite3_stmt *prepare_va(struct store *st, struct err *err, const char *sql,
				const char *types, va_list ap)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(st->db, sql, -1, &s, NULL) != SQLITE_OK) {
		(void)db_fail(st, "read", err);
		return NULL;
	}
	if (bind_all(s, types, ap) != SQLITE_OK) {
		(void)db_fail(st, "read", err);
		(void)sqlite3_finalize(s);
		return NULL;
	}
	return s;
}

sqlite3_stmt *db_prepare(struct store *st, struct err *err, const char *sql, const char *types, ...)
{
	va_list ap;

	va_start(ap, types);
	sqlite3_stmt *s = prepare_va(st, err, sql, types, ap);
	va_end(ap);
	return s;
}

int db_step(struct store *st, sqlite3_stmt *s, struct err *err)
{
	int rc = sqlite3_step(s);

	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return db_fail(st, sqlite3_stmt_readonly(s) ? "read" : "write", err);
}

int db_run(struct store *st, struct err *err, const char *sql, const char *types, ...)
{
	va_list ap;

	va_start(ap, types);
	sqlite3_stmt *s = prepare_va(st, err, sql, types, ap);
	va_end(ap);
	if (s == NULL)
		return ERR_FAIL;
	int rc = db_step(st, s, err);
	(void)sqlite3_finalize(s);
	return rc < 0 ? rc : 0;
}

int db_int(struct store *st, struct err *err, int64_t fallback, int64_t *out, const char *sql,
	   const char *types, ...)
{
	va_list ap;

	va_start(ap, types);
	sqlite3_stmt *s = prepare_va(st, err, sql, types, ap);
	va_end(ap);
	if (s == NULL)
		return ERR_FAIL;
	int rc = db_step(st, s, err);
	if (rc >= 0)
		*out = rc == 1 ? sqlite3_column_int64(s, 0) : fallback;
	(void)sqlite3_finalize(s);
	return rc < 0 ? rc : 0;
}

char *db_text(sqlite3_stmt *s, int column)
{
	const unsigned char *text = sqlite3_column_text(s, column);

	return mem_strdup(text == NULL ? "" : (const char *)text);
}

int db_begin(struct store *st, struct err *err)
{
	return db_exec(st, "BEGIN IMMEDIATE", err);
}

int db_end(struct store *st, int rc, struct err *err)
{
	if (rc == 0)
		rc = db_exec(st, "COMMIT", err);
	/* a full disk may have rolled back already: then this says so and changes nothing */
	if (rc != 0)
		(void)sqlite3_exec(st->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}
