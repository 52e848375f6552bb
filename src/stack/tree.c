/* The one WordPress tree that all systems of an experiment are given. */
#include "stack/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"

enum { FILE_MAX = 4 << 20 };

/* 2010-01-04: a fixed age. OPcache passes over files that were changed seconds ago. */
static const time_t TREE_TIME = 1262563200;

static const char THEME[] = "twentytwentyone";
static const char OWN_THEME[] = "lampduel-plain";

void wordpress_tree_release(struct wordpress_tree *t)
{
	free(t->path);
	free(t->version);
	free(t->origin);
	free(t->theme);
	memset(t, 0, sizeof(*t));
}

/* Can the system's WordPress be the one? A replay copies nothing, but decides as the run did. */
static bool is_candidate(const struct system *s, const struct stack_programs *p)
{
	return p->wordpress != NULL && (s->root_host != NULL || s->is_recorded);
}

/* A file of a system's WordPress; 0 and no text when there is none. */
static int get_file(struct system *s, const struct stack_programs *p, const char *name,
		    struct buf *text, struct err *err)
{
	struct step top = {.name = "tree", .round = 0, .attempt = 1};
	struct step step = step_below(&top, name);
	char *path = fs_join(p->wordpress, name);
	struct err why = ERR_INIT;
	int rc = system_get(s, &step, path, FILE_MAX, text, &why);

	step_release(&step);
	free(path);
	if (rc != ERR_GONE && rc != ERR_INTERRUPTED)
		return 0;
	*err = why;
	return rc;
}

/*
 * Does every side's PHP and MariaDB support the WordPress of system i? When not, why names the
 * first that does not.
 */
static int is_fit(struct system *const *systems, const struct stack_programs *programs, size_t n,
		  size_t i, bool *fit, struct buf *why, struct err *err)
{
	struct buf text = BUF_INIT;
	int rc = get_file(systems[i], &programs[i], "wp-includes/version.php", &text, err);
	char *php = php_string_of(buf_str(&text), "required_php_version");
	char *db = php_string_of(buf_str(&text), "required_mysql_version");

	*fit = rc == 0 && text.len > 0;
	for (size_t k = 0; k < n && *fit; k++) {
		const char *has_php = programs[k].php_version;
		const char *has_db = programs[k].mariadb_version;
		const char *what = NULL;

		if (php != NULL && has_php != NULL && version_compare(has_php, php) < 0)
			what = "PHP";
		else if (db != NULL && has_db != NULL && version_compare(has_db, db) < 0)
			what = "MariaDB";
		if (what == NULL)
			continue;
		*fit = false;
		buf_addf(why, "; WordPress %s of %s needs %s %s, %s has %s",
			 programs[i].wordpress_version, systems[i]->name, what,
			 *what == 'P' ? php : db, systems[k]->name,
			 *what == 'P' ? has_php : has_db);
	}
	free(php);
	free(db);
	buf_release(&text);
	return rc;
}

/* The newest WordPress that fits everybody: its index in *best. */
static int choose(struct system *const *systems, const struct stack_programs *programs, size_t n,
		  size_t *best, struct err *err)
{
	struct buf why = BUF_INIT;
	int rc = 0;

	*best = n;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		bool fit = false;

		if (!is_candidate(systems[i], &programs[i]))
			continue;
		if (*best < n && version_compare(programs[i].wordpress_version,
						 programs[*best].wordpress_version) <= 0)
			continue;
		rc = is_fit(systems, programs, n, i, &fit, &why, err);
		if (fit)
			*best = i;
	}
	if (rc == 0 && *best == n)
		rc = err_code(err, ERR_HOPELESS,
			      "no WordPress that every system can run (it comes from an "
			      "installation on this machine with Debian's package wordpress)%s",
			      buf_str(&why));
	buf_release(&why);
	return rc;
}

static int copy_own(const char *share, const char *name, const char *dir, const char *to,
		    struct err *err)
{
	char *target = fs_join(dir, to);
	char *from = fs_join(share, name);
	struct buf text = BUF_INIT;
	int rc = 0;

	if (fs_is_dir(from)) {
		rc = fs_copy_tree_in_root(from, "/", target, err);
	} else {
		rc = fs_read(from, FILE_MAX, &text, err);
		if (rc == 0)
			rc = fs_write_atomic(target, text.data, text.len, 0644, err);
	}
	buf_release(&text);
	free(from);
	free(target);
	return rc;
}

static int add_own(const char *dir, struct err *err)
{
	static const struct {
		const char *name, *to;
	} files[] = {
		{"wp-config.php", "wp-config.php"},
		{"advanced-cache.php", "wp-content/advanced-cache.php"},
		{"lampduel.php", "wp-content/mu-plugins/lampduel.php"},
		{"install-site.php", "lampduel/install-site.php"},
		{"content", "lampduel/content"},
		{"theme", "wp-content/themes/lampduel-plain"},
		{"uploads", "wp-content/uploads"},
	};
	static const char *const folders[] = {"lampduel", "wp-content/mu-plugins",
					      "wp-content/themes"};
	char *share = fs_share_file("wordpress");
	int rc = share == NULL ? err_set(err, "lampduel's own folder wordpress is missing") : 0;

	for (size_t i = 0; rc == 0 && i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *folder = fs_join(dir, folders[i]);
		rc = fs_mkdirs(folder, 0755, err);
		free(folder);
	}
	char *uploads = fs_join(dir, "wp-content/uploads");
	if (rc == 0)
		rc = fs_remove_tree(uploads, err);
	free(uploads);
	for (size_t i = 0; rc == 0 && i < sizeof(files) / sizeof(files[0]); i++)
		rc = copy_own(share, files[i].name, dir, files[i].to, err);
	free(share);
	return rc;
}

/* The system whose classic theme is used: first's own when it has it; n when none has. */
static int find_theme(struct system *const *systems, const struct stack_programs *programs,
		      size_t n, size_t first, size_t *found, struct err *err)
{
	char *name = mem_printf("wp-content/themes/%s/style.css", THEME);
	int rc = 0;

	*found = n;
	for (size_t k = 0; rc == 0 && k < n && *found == n; k++) {
		size_t i = (first + k) % n;
		struct buf text = BUF_INIT;

		if (!is_candidate(systems[i], &programs[i]))
			continue;
		rc = get_file(systems[i], &programs[i], name, &text, err);
		if (text.len > 0)
			*found = i;
		buf_release(&text);
	}
	free(name);
	return rc;
}

/* Copies the theme unless the tree has it, and notes its name for the installer. */
static int add_theme(struct system *s, const struct stack_programs *p, const char *dir,
		     const char *theme, struct err *err)
{
	char *name = mem_printf("wp-content/themes/%s", theme);
	char *target = fs_join(dir, name);
	char *note = fs_join(dir, "lampduel/content/theme");
	int rc = 0;

	if (!fs_is_dir(target)) {
		char *from = fs_join(p->wordpress, name);
		rc = fs_copy_tree_in_root(s->root_host, from, target, err);
		free(from);
	}
	if (rc == 0)
		rc = fs_write_atomic(note, theme, strlen(theme), 0644, err);
	free(note);
	free(target);
	free(name);
	return rc;
}

/* Readable by Apache's user, and of one age. */
static int make_even(const char *path, int depth, struct err *err)
{
	const struct timespec times[2] = {{.tv_sec = TREE_TIME}, {.tv_sec = TREE_TIME}};
	bool folder = fs_is_dir(path);
	struct strvec names = STRVEC_INIT;
	int rc = folder ? fs_list(path, &names, err) : 0;

	if (depth > 40)
		rc = err_set(err, "%s is nested too deeply", path);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		char *sub = fs_join(path, names.v[i]);
		rc = make_even(sub, depth + 1, err);
		free(sub);
	}
	strvec_release(&names);
	if (rc == 0 &&
	    (chmod(path, folder ? 0755 : 0644) != 0 || utimensat(AT_FDCWD, path, times, 0) != 0))
		rc = err_errno(err, errno, "cannot set mode and date of %s", path);
	return rc;
}

int wordpress_tree_make(struct system *const *systems, const struct stack_programs *programs,
			size_t n, const char *dir, struct wordpress_tree *t, struct err *err)
{
	size_t best = n, theme = n;

	memset(t, 0, sizeof(*t));
	int rc = choose(systems, programs, n, &best, err);
	if (rc == 0)
		rc = find_theme(systems, programs, n, best, &theme, err);
	if (rc != 0)
		return rc;
	t->path = mem_strdup(dir);
	t->version = mem_strdup(programs[best].wordpress_version);
	t->origin = mem_strdup(systems[best]->name);
	t->theme = mem_strdup(theme < n ? THEME : OWN_THEME);
	if (systems[best]->is_recorded)
		return 0;
	size_t from = theme < n ? theme : best;
	rc = fs_copy_tree_in_root(systems[best]->root_host, programs[best].wordpress, dir, err);
	if (rc == 0)
		rc = add_own(dir, err);
	if (rc == 0)
		rc = add_theme(systems[from], &programs[from], dir, t->theme, err);
	if (rc == 0)
		rc = make_even(dir, 0, err);
	if (rc != 0) {
		(void)err_wrap(err, "making the WordPress tree");
		wordpress_tree_release(t);
	}
	return rc;
}
