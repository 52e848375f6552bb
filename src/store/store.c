#include "store/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "store/alive.h"
#include "store/db.h"
#include "store/migrate.h"

/* Longer than any one commit of another lampduel takes, a slow card included. */
enum { BUSY_TIMEOUT_MS = 10000 };

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL)
		return mem_strdup(".");
	return slash == path ? mem_strdup("/") : mem_strndup(path, (size_t)(slash - path));
}

/* SQLite syncs its journals' folder but not that of the database it creates. */
static void sync_folder(const char *path)
{
	char *dir = folder_of(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		(void)fsync(fd);
		(void)close(fd);
	}
	free(dir);
}

static int make_folder(const char *path, struct err *err)
{
	char *dir = folder_of(path);
	int rc = 0;

	/* private: raw outputs may hold host names and paths */
	if (!fs_is_dir(dir) && fs_mkdirs(dir, 0700, err) != 0)
		rc = err_wrap(err, "cannot create the store %s", path);
	free(dir);
	return rc;
}

static int configure(struct store *st, struct err *err)
{
	(void)sqlite3_busy_timeout(st->db, BUSY_TIMEOUT_MS);
	if (db_exec(st, "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;", err) != 0)
		return ERR_FAIL;
	/* before anything is changed: is it a store of ours? */
	if (migrate(st, &store_migrations, err) != 0)
		return ERR_FAIL;
	/* FULL: in WAL mode each commit is synced, so that power loss takes nothing that was
	 * committed */
	return db_exec(st, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", err);
}

static char *path_of(const char *path)
{
	if (path != NULL)
		return mem_strdup(path);
	char *dir = fs_data_dir();
	char *standard = fs_join(dir, "lampduel.db");
	free(dir);
	return standard;
}

bool store_exists(const char *path)
{
	char *file = path_of(path);
	bool exists = fs_exists(file);

	free(file);
	return exists;
}

struct store *store_open(const char *path, struct err *err)
{
	struct store *st = mem_alloc(sizeof(*st));

	st->alive_fd = -1;
	st->path = path_of(path);
	bool is_new = !fs_exists(st->path);
	int rc = is_new ? make_folder(st->path, err) : 0;
	if (rc == 0 && fs_is_dir(st->path))
		rc = err_set(err, "cannot open the store %s: it is a folder; name a file",
			     st->path);
	if (rc == 0 &&
	    sqlite3_open_v2(st->path, &st->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE,
			    NULL) != SQLITE_OK)
		rc = db_fail(st, "open", err);
	if (rc == 0)
		rc = configure(st, err);
	if (rc != 0) {
		store_close(st);
		return NULL;
	}
	if (is_new)
		sync_folder(st->path);
	return st;
}

void store_close(struct store *st)
{
	if (st == NULL)
		return;
	(void)sqlite3_close(st->db);
	alive_close(st);
	free(st->path);
	free(st);
}

const char *store_path(const struct store *st)
{
	return st->path;
}

int64_t store_newest(struct store *st, struct err *err)
{
	int64_t id = 0;

	if (db_int(st, err, 0, &id, "SELECT id FROM experiment ORDER BY id DESC LIMIT 1", "") != 0)
		return ERR_FAIL;
	return id;
}

/*
 * A round is done when every task was executed on every system (of what was imported: as many as
 * in the fullest round), and something in it counts. The report counts them in the same way.
 */
static const char list_sql[] =
	"SELECT e.id, e.created_unix_ns, e.title, e.state, e.kind, e.rounds_planned,"
	"  (SELECT count(*) FROM pairs WHERE experiment = e.id AND counted"
	"     AND n = CASE WHEN e.kind = 'import'"
	"       THEN (SELECT max(n) FROM pairs WHERE experiment = e.id)"
	"       ELSE (SELECT count(*) FROM task WHERE experiment = e.id)"
	"          * (SELECT count(*) FROM system WHERE experiment = e.id) END),"
	"  (SELECT count(*) FROM execution x JOIN round r ON r.id = x.round"
	"     WHERE r.experiment = e.id)"
	" FROM experiment e ORDER BY e.id DESC";

static const char list_pairs_sql[] =
	"WITH pairs AS (SELECT r.experiment,"
	"  (SELECT count(*) FROM (SELECT DISTINCT x.task, x.system FROM execution x"
	"     WHERE x.round = r.id)) AS n,"
	"  EXISTS (SELECT 1 FROM execution x WHERE x.round = r.id AND x.status = 'ok'"
	"     AND NOT x.disturbed AND x.attempt = (SELECT max(y.attempt) FROM execution y"
	"       WHERE y.round = r.id AND y.task = x.task)) AS counted"
	"  FROM round r WHERE NOT r.warmup) ";

int store_list(struct store *st, struct store_rows *rows, struct err *err)
{
	char *sql = mem_printf("%s%s", list_pairs_sql, list_sql);
	sqlite3_stmt *s = db_prepare(st, err, sql, "");
	int rc = s == NULL ? ERR_FAIL : 0;

	free(sql);
	while (rc == 0 && (rc = db_step(st, s, err)) == 1) {
		struct store_row *r = vec_add(&rows->rows);

		r->id = sqlite3_column_int64(s, 0);
		r->created_unix_ns = sqlite3_column_int64(s, 1);
		r->title = db_text(s, 2);
		r->state = alive_state(st, r->id, db_text(s, 3));
		r->kind = db_text(s, 4);
		r->rounds_planned = sqlite3_column_int(s, 5);
		r->rounds_done = sqlite3_column_int(s, 6);
		r->executions = sqlite3_column_int64(s, 7);
		rc = 0;
	}
	(void)sqlite3_finalize(s);
	return rc;
}

void store_rows_release(struct store_rows *rows)
{
	for (size_t i = 0; i < rows->rows.n; i++) {
		free(rows->rows.v[i].title);
		free(rows->rows.v[i].state);
		free(rows->rows.v[i].kind);
	}
	vec_release(&rows->rows);
}

int store_remove(struct store *st, int64_t id, struct err *err)
{
	if (db_run(st, err, "DELETE FROM experiment WHERE id = ?", "i", id) != 0)
		return ERR_FAIL;
	if (sqlite3_changes(st->db) == 0)
		return db_no_experiment(st, id, err);
	return 0;
}
