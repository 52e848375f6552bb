#include "stack/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"

enum { FILE_MAX = 16 << 20, DEPTH_MAX = 40 };

/* 6 s emulated on a PC, a minute on the smallest boards */
#define INSTALL_LIMIT_NS (900 * NS_PER_S)

static int put_tree(struct stack *st, const struct step *step, const char *from, const char *to,
		    int depth, struct err *err)
{
	struct strvec names = STRVEC_INIT;
	struct buf data = BUF_INIT;
	int rc = 0;

	if (depth > DEPTH_MAX)
		return err_set(err, "%s is nested too deeply", from);
	if (!fs_is_dir(from)) {
		struct step sub = step_below(step, to);
		rc = fs_read(from, FILE_MAX, &data, err);
		if (rc == 0)
			rc = system_put(st->system, &sub, to, buf_str(&data), data.len, err);
		step_release(&sub);
		buf_release(&data);
		return rc;
	}
	rc = fs_list(from, &names, err);
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		char *sub_from = fs_join(from, names.v[i]);
		char *sub_to = fs_join(to, names.v[i]);
		rc = put_tree(st, step, sub_from, sub_to, depth + 1, err);
		free(sub_from);
		free(sub_to);
	}
	strvec_release(&names);
	return rc;
}

int site_show_tree(struct stack *st, const struct step *step, struct err *err)
{
	const char *shown = system_share_inside(st->system, STACK_TREE_INSIDE);
	char *path = mem_printf("%s/lampduel/content/theme", shown == NULL ? "" : shown);
	struct step sub = step_below(step, "tree");
	struct buf theme = BUF_INIT;
	struct err ignored = ERR_INIT;
	int rc = 0;

	if (shown != NULL && system_get(st->system, &sub, path, FILE_MAX, &theme, &ignored) == 0) {
		mem_replace(&st->tree_inside, mem_strdup(shown));
	} else {
		/* no share, or one that was copied before the tree was in it */
		mem_replace(&st->tree_inside,
			    mem_printf("%s/wordpress", st->system->run_dir_inside));
		if (!st->system->is_recorded)
			rc = put_tree(st, &sub, st->tree->path, st->tree_inside, 0, err);
	}
	buf_release(&theme);
	step_release(&sub);
	free(path);
	return rc;
}

int site_install(struct stack *st, const struct step *step, struct err *err)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct outcome out = {0};
	const char *run = st->system->run_dir_inside;
	struct step sub = step_below(step, "site");

	strvec_push(&argv, st->programs->php_cli);
	strvec_push(&argv, "-c");
	strvec_pushf(&argv, "%s/php-on", run);
	strvec_pushf(&argv, "%s/lampduel/install-site.php", st->tree_inside);
	strvec_pushf(&env, "PHP_INI_SCAN_DIR=%s/no-conf.d", run);
	int rc = stack_run(st->system, &sub, &argv, &env, NULL, 0, INSTALL_LIMIT_NS, &out, err);
	/* WordPress ends with status 0 on some of its own error pages */
	if (rc == 0 && strcmp(buf_str(&out.out), "installed\n") != 0) {
		char *words = service_last_words(buf_str(&out.out), out.out.len);
		rc = err_set(err, "the installer of the site stopped halfway: %s",
			     *words != '\0' ? words : "it said nothing");
		free(words);
	}
	if (rc != 0)
		(void)err_wrap(err, "installing WordPress %s on %s", st->tree->version,
			       st->system->name);
	step_release(&sub);
	outcome_release(&out);
	strvec_release(&argv);
	strvec_release(&env);
	return rc;
}
