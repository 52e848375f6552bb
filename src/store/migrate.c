#include "store/migrate.h"

#include <stdlib.h>

#include "base/mem.h"

/* Version 0 is an empty file of nobody's, or one that another program filled. */
static int check_owner(struct store *st, int64_t version, struct err *err)
{
	int64_t id = 0;
	int64_t tables = 0;

	if (db_int(st, err, 0, &id, "PRAGMA application_id", "") != 0 ||
	    db_int(st, err, 0, &tables, "SELECT count(*) FROM sqlite_master", "") != 0)
		return ERR_FAIL;
	if (id != STORE_APPLICATION_ID && (id != 0 || version != 0 || tables != 0))
		return err_set(err, "%s is a database of another program; name another file",
			       st->path);
	return 0;
}

static int refuse_newer(struct store *st, int64_t version, size_t known, struct err *err)
{
	if (version < 0 || (uint64_t)version > known)
		return err_set(
			err,
			"the store %s was written by a newer lampduel (schema %lld, this one "
			"knows %zu); use that version or name another store",
			st->path, (long long)version, known);
	return 0;
}

static int apply(struct store *st, const struct migrations *m, struct err *err)
{
	int64_t version = 0;

	if (db_begin(st, err) != 0)
		return ERR_FAIL;
	/* another process may have been first: look again now that the lock is held */
	int rc = db_int(st, err, 0, &version, "PRAGMA user_version", "");
	if (rc == 0)
		rc = refuse_newer(st, version, m->n, err);
	if (rc == 0 && (size_t)version < m->n) {
		rc = db_exec(st, m->sql[version], err);
		char *sql = mem_printf("PRAGMA user_version = %lld; PRAGMA application_id = %d",
				       (long long)version + 1, (int)STORE_APPLICATION_ID);
		if (rc == 0)
			rc = db_exec(st, sql, err);
		free(sql);
	}
	return db_end(st, rc, err);
}

int migrate(struct store *st, const struct migrations *m, struct err *err)
{
	int64_t version = 0;

	if (db_int(st, err, 0, &version, "PRAGMA user_version", "") != 0 ||
	    check_owner(st, version, err) != 0 || refuse_newer(st, version, m->n, err) != 0)
		return ERR_FAIL;
	for (size_t i = (size_t)version; i < m->n; i++) {
		if (apply(st, m, err) != 0)
			return err_wrap(err, "bringing its schema from version %zu to %zu", i,
					i + 1);
	}
	return 0;
}
