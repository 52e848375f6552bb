/* The store's file: schemas, files that are none, kill -9, full disks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "check.h"
#include "example.h"
#include "store/db.h"
#include "store/migrate.h"
#include "store/store.h"

static char dir[64];
static char *path;

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof(dir), "/tmp/lampduel-store-XXXXXX");
	if (mkdtemp(dir) == NULL)
		return -1;
	path = fs_join(dir, "sub/folder/test.db");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(path);
	return fs_remove_tree(dir, NULL);
}

static void assert_open_fails(const char *p, const char *text)
{
	struct err err = ERR_INIT;
	struct store *st = store_open(p, &err);

	if (st != NULL || strstr(err.msg, text) == NULL || strstr(err.msg, p) == NULL)
		fail_msg("not \"%s\" with the path: %s", text, err.msg);
}

static int64_t count(struct store *st, const char *sql)
{
	int64_t n = -1;

	assert_ok(db_int(st, err, -1, &n, sql, ""));
	return n;
}

static void write_file(const char *p, const char *data, size_t len)
{
	FILE *f = fopen(p, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void files_that_cannot_be_opened(void **state)
{
	char *p = fs_join(dir, "file");
	char *below = fs_join(p, "x/test.db");
	sqlite3 *db = NULL;

	(void)state;
	write_file(p,
		   "This is a letter, and much longer than the header of a database. "
		   "It goes on and on, and on, and then on.",
		   100);
	assert_open_fails(p, "damaged or is no lampduel store");
	assert_open_fails(below, "Not a directory");
	assert_open_fails(dir, "is a folder");
	assert_open_fails("/proc/lampduel/test.db", "cannot create folder");
	assert_open_fails("/proc/lampduel.db", "cannot open the store");
	assert_int_equal(unlink(p), 0);

	assert_int_equal(sqlite3_open(p, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE bookmark (x)", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_open_fails(p, "database of another program");
	/* and it was left as it is */
	assert_int_equal(sqlite3_exec(db, "INSERT INTO bookmark VALUES (1)", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	char *wal = mem_printf("%s-wal", p);
	assert_false(fs_exists(wal));
	free(wal);
	free(below);
	free(p);
}

static void newer_schema_is_refused(void **state)
{
	struct store *st = example_open(path);

	(void)state;
	assert_ok(db_exec(st, "PRAGMA user_version = 9", err));
	store_close(st);
	assert_open_fails(path, "newer lampduel (schema 9, this one knows");
}

static void truncated_file(void **state)
{
	struct experiment e;
	struct store *st = example_open(path);

	(void)state;
	example_reference(&e, 5);
	example_store(st, &e);
	store_close(st);
	assert_int_equal(truncate(path, 3 * 4096 + 100), 0);
	struct err err = ERR_INIT;
	struct experiment back;
	st = store_open(path, &err);
	/* whether opening notices or loading does: never a wrong experiment, always the path */
	if (st != NULL)
		assert_true(store_load(st, e.id, &back, &err) < 0);
	assert_non_null(strstr(err.msg, "is damaged"));
	assert_non_null(strstr(err.msg, path));
	store_close(st);
	experiment_release(&e);
}

/* Habit: a database of every past schema still loads. */
static void version_1_loads(void **state)
{
	struct buf sql = BUF_INIT;
	sqlite3 *db = NULL;
	struct experiment e;
	struct buf raw = BUF_INIT;
	char *p = fs_join(dir, "v1.db");

	(void)state;
	assert_ok(fs_read("test/data/store-v1.sql", 1 << 20, &sql, err));
	assert_int_equal(sqlite3_open(p, &db), SQLITE_OK);
	char *message = NULL;
	if (sqlite3_exec(db, sql.data, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s", message);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);

	struct store *st = example_open(p);
	assert_int_equal(count(st, "PRAGMA user_version"), store_migrations.n);
	assert_int_equal(store_newest(st, NULL), 2);
	assert_ok(store_load(st, 2, &e, err));
	assert_string_equal(e.title, "debian:bookworm/armel against debian:bookworm/armhf");
	assert_string_equal(e.state, "complete");
	assert_string_equal(e.ending, "");
	assert_true(e.seed == UINT64_C(9007199254740991));
	assert_int_equal(e.systems.n, 2);
	assert_string_equal(factset_get(&e.systems.v[1].facts, "php.version"), "8.2.29");
	assert_int_equal(e.tasks.n, 5);
	assert_int_equal(e.metrics.n, 7);
	assert_int_equal(e.executions.n, 10);
	assert_int_equal(e.executions.v[9].values.n, 2);
	assert_string_equal(e.metrics.v[6].name, "openssl/rsa4096/verify");
	assert_int_equal(e.metrics.v[6].direction, MORE_IS_BETTER);
	assert_true(exp_execution_value(&e.executions.v[0], 0)->value > 1.6);
	assert_int_equal(e.notes.n, 1);
	assert_ok(store_raw(st, e.executions.v[3].id, &raw, err));
	assert_string_equal(buf_str(&raw), "output 3");
	/* and can be written on */
	struct exp_execution *x = example_execution(&e, 2, 0, 0, 1);
	assert_ok(store_add_execution(st, &e, x, NULL, err));
	experiment_release(&e);
	buf_release(&raw);
	buf_release(&sql);
	store_close(st);
	free(p);
}

static void migrations_are_ordered_and_whole(void **state)
{
	static const char *const good[] = {"CREATE TABLE a (x); INSERT INTO a VALUES (1)",
					   "ALTER TABLE a ADD y DEFAULT 7"};
	const char *const bad[] = {good[0], good[1], "INSERT INTO a VALUES (2, 8); oops"};
	const struct migrations one = {good, 1};
	const struct migrations two = {good, 2};
	const struct migrations three = {bad, 3};
	struct store st = {.path = path};

	(void)state;
	assert_ok(fs_mkdirs(dir, 0700, err));
	char *p = fs_join(dir, "m.db");
	assert_int_equal(sqlite3_open(p, &st.db), SQLITE_OK);
	assert_ok(migrate(&st, &one, err));
	assert_int_equal(count(&st, "PRAGMA user_version"), 1);
	assert_int_equal(count(&st, "PRAGMA application_id"), STORE_APPLICATION_ID);
	assert_ok(migrate(&st, &one, err)); /* nothing to do */
	assert_fails(migrate(&st, &three, err), "from version 2 to 3");
	assert_int_equal(count(&st, "PRAGMA user_version"), 2);
	assert_int_equal(count(&st, "SELECT count(*) FROM a"), 1);
	assert_int_equal(count(&st, "SELECT y FROM a"), 7);
	assert_ok(migrate(&st, &two, err));
	assert_fails(migrate(&st, &one, err), "newer lampduel");
	assert_int_equal(sqlite3_close(st.db), SQLITE_OK);
	free(p);
}

/* Writes executions for ever, telling each committed one through fd. */
static _Noreturn void write_until_killed(const char *p, int fd)
{
	struct err err = ERR_INIT;
	struct experiment e;
	struct store *st = store_open(p, &err);
	struct buf raw = BUF_INIT;

	example_reference(&e, 400);
	for (int i = 0; i < 20000; i++)
		buf_addch(&raw, (char)rand());
	if (st == NULL || store_create(st, &e, &err) != 0)
		_exit(1);
	for (size_t i = 0; i < e.executions.n; i++) {
		if (store_add_execution(st, &e, &e.executions.v[i], &raw, &err) != 0)
			_exit(2);
		int64_t id = e.executions.v[i].id;
		if (write(fd, &id, sizeof(id)) != sizeof(id))
			_exit(3);
	}
	_exit(4);
}

static void kill_9_loses_nothing_committed(void **state)
{
	(void)state;
	for (int turn = 0; turn < 8; turn++) {
		int fds[2];
		int64_t told = 0;
		int64_t id = 0;

		assert_int_equal(pipe(fds), 0);
		pid_t pid = fork();
		if (pid == 0)
			write_until_killed(path, fds[1]);
		(void)close(fds[1]);
		int wanted = 5 + turn * 3;
		for (int i = 0; i < wanted; i++) {
			assert_int_equal(read(fds[0], &id, sizeof(id)), sizeof(id));
			told = id;
		}
		(void)usleep((useconds_t)(turn * 377));
		assert_int_equal(kill(pid, SIGKILL), 0);
		while (read(fds[0], &id, sizeof(id)) == sizeof(id))
			told = id;
		(void)close(fds[0]);
		int status = 0;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));

		struct store *st = example_open(path);
		struct experiment e;
		assert_ok(store_load(st, store_newest(st, NULL), &e, err));
		int64_t last = e.executions.v[e.executions.n - 1].id;
		assert_true(last == told || last == told + 1);
		for (size_t i = 0; i < e.executions.n; i++) {
			struct buf raw = BUF_INIT;
			assert_true(e.executions.v[i].values.n >= 1);
			assert_ok(store_raw(st, e.executions.v[i].id, &raw, err));
			assert_int_equal(raw.len, 20000);
			buf_release(&raw);
		}
		assert_string_equal(e.state, "interrupted"); /* nobody measures it any more */
		assert_int_equal(count(st, "SELECT count(*) FROM pragma_integrity_check"
					   " WHERE integrity_check <> 'ok'"),
				 0);
		assert_int_equal(count(st, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
		experiment_release(&e);
		store_close(st);
	}
}

/* Fills the store until it fails; reports the line, then what is there after the failure. */
static _Noreturn void write_until_full(const char *p, int fd, const char *wanted)
{
	struct err err = ERR_INIT;
	struct experiment e;
	struct experiment back;
	struct store *st = store_open(p, &err);
	struct buf raw = BUF_INIT;
	size_t i = 0;

	example_reference(&e, 400);
	for (int k = 0; k < 20000; k++)
		buf_addch(&raw, (char)rand());
	if (st == NULL || store_create(st, &e, &err) != 0)
		dprintf(fd, "too early: %s", err.msg);
	else
		while (i < e.executions.n &&
		       store_add_execution(st, &e, &e.executions.v[i], &raw, &err) == 0)
			i++;
	if (strstr(err.msg, wanted) == NULL || strstr(err.msg, p) == NULL ||
	    strchr(err.msg, '\n') != NULL)
		dprintf(fd, "line: %s", err.msg);
	else if (store_load(st, e.id, &back, &err) != 0)
		dprintf(fd, "load: %s", err.msg);
	else if (back.executions.n != i || i == 0)
		dprintf(fd, "%zu executions, stored %zu", back.executions.n, i);
	else
		dprintf(fd, "good");
	_exit(0);
}

static void assert_child_says_good(int fd, pid_t pid)
{
	char text[1200] = "";
	int status = 0;

	ssize_t n = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (n > 0 && text[0] == '-') {
		print_message("skipped: %s\n", text + 1);
		skip();
	}
	assert_string_equal(text, "good");
}

static void file_size_limit(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		const struct rlimit limit = {1 << 20, 1 << 20};
		(void)signal(SIGXFSZ, SIG_IGN);
		(void)setrlimit(RLIMIT_FSIZE, &limit);
		write_until_full(path, fds[1], "ulimit -f");
	}
	(void)close(fds[1]);
	assert_child_says_good(fds[0], pid);
}

static bool put(const char *p, const char *text)
{
	int fd = open(p, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		(void)close(fd);
	return ok;
}

/* As an ordinary user with one's own numbers mapped: files cannot be made without. */
static bool own_mounts(void)
{
	char user[64], group[64];

	(void)snprintf(user, sizeof(user), "0 %u 1", (unsigned)getuid());
	(void)snprintf(group, sizeof(group), "0 %u 1", (unsigned)getgid());
	return unshare(CLONE_NEWNS) == 0 ||
	       (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && put("/proc/self/uid_map", user) &&
		put("/proc/self/setgroups", "deny") && put("/proc/self/gid_map", group));
}

static void disk_full(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char *p = fs_join(dir, "full/test.db");
		char *mount_at = fs_join(dir, "full");
		if (!own_mounts())
			dprintf(fds[1], "-no mount namespace here: %s", strerror(errno));
		else if (mkdir(mount_at, 0700) != 0 ||
			 mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
			 mount("none", mount_at, "tmpfs", 0, "size=1m") != 0)
			dprintf(fds[1], "-no tmpfs can be mounted here: %s", strerror(errno));
		else
			write_until_full(p, fds[1], "free some");
		_exit(0);
	}
	(void)close(fds[1]);
	assert_child_says_good(fds[0], pid);
}

static void default_path(void **state)
{
	(void)state;
	assert_int_equal(setenv("XDG_DATA_HOME", dir, 1), 0);
	struct store *st = example_open(NULL);
	char *expected = mem_printf("%s/lampduel/lampduel.db", dir);
	assert_string_equal(store_path(st), expected);
	struct stat sb;
	char *folder = fs_join(dir, "lampduel");
	assert_int_equal(stat(folder, &sb), 0);
	assert_int_equal(sb.st_mode & 0777, 0700);
	store_close(st);
	free(folder);
	free(expected);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_that_cannot_be_opened),
		TEST(newer_schema_is_refused),
		TEST(truncated_file),
		TEST(version_1_loads),
		TEST(migrations_are_ordered_and_whole),
		TEST(kill_9_loses_nothing_committed),
		TEST(file_size_limit),
		TEST(disk_full),
		TEST(default_path),
	};

	return cmocka_run_group_tests_name("store file", tests, NULL, NULL);
}
