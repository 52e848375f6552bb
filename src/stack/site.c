#include "stack/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* 6 s emulated on a PC, a minute on the smallest boards */
#define INSTALL_LIMIT_NS (900 * NS_PER_S)

int site_install(struct stack *st, const struct step *step, struct err *err)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct outcome out = {0};
	const char *run = st->system->run_dir_inside;
	struct step sub = sub_step(step, "site");

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
	sub_step_release(&sub);
	outcome_release(&out);
	strvec_release(&argv);
	strvec_release(&env);
	return rc;
}
