/*
 * db: what the store's own files share: the open database, one way to prepare,
 * bind and step, and one place where SQLite's codes become a line that names
 * the file and says what to do. Nothing outside src/store includes this.
 */
#ifndef LAMPDUEL_STORE_DB_H
#define LAMPDUEL_STORE_DB_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"

struct store {
	sqlite3 *db;
	char *path;
	int alive_fd; /* see alive.h; -1: not open */
};

/* Fills err from the database's last error; what: "write", "read", "open". */
int db_fail(struct store *st, const char *what, struct err *err);
/* The error for an id that the store does not hold. */
int db_no_experiment(const struct store *st, int64_t id, struct err *err);
/* One statement or several without parameters. */
int db_exec(struct store *st, const char *sql, struct err *err);
/*
 * Prepares sql and binds its parameters in order. types has a letter for each: i int64_t, n int,
 * d double, t const char * (NULL is stored as ""). Text is copied. NULL on failure; the caller
 * finalizes.
 */
sqlite3_stmt *db_prepare(struct store *st, struct err *err, const char *sql, const char *types,
			 ...);
/* Runs a statement that gives no rows. */
int db_run(struct store *st, struct err *err, const char *sql, const char *types, ...);
/* 1: a row is there; 0: no more; negative: an error. */
int db_step(struct store *st, sqlite3_stmt *s, struct err *err);
/* The first column of the first row as an integer; fallback when there is no row. */
int db_int(struct store *st, struct err *err, int64_t fallback, int64_t *out, const char *sql,
	   const char *types, ...);
/* Text of a column as a new string, never NULL. */
char *db_text(sqlite3_stmt *s, int column);

/* A write transaction; the lock is taken at once, so that what is read in it stays true. */
int db_begin(struct store *st, struct err *err);
/* Commits when rc is 0, else rolls back. Returns rc, or the error of the commit. */
int db_end(struct store *st, int rc, struct err *err);

#endif
