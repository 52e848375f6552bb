/* The pure parts of the throwaway stack: versions, PHP's layout, settings, last words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "stack/internal.h"

static void expect_version(const char *text, const char *mark, const char *expected)
{
	char *v = version_after(text, mark);

	if (expected == NULL)
		assert_null(v);
	else
		assert_string_equal(v, expected);
	free(v);
}

static void test_version_after(void **state)
{
	(void)state;
	expect_version("/usr/sbin/mariadbd  Ver 10.11.18-MariaDB-0+deb12u1 for debian-linux-gnu",
		       "Ver ", "10.11.18");
	expect_version("Server version: Apache/2.4.68 (Debian)\nServer built:", "Apache/",
		       "2.4.68");
	expect_version("OpenSSL 1.0.2k  26 Jan 2017", "OpenSSL ", "1.0.2k");
	expect_version("OpenSSL 3.0.20 (Library: 3.0.20)", "OpenSSL ", "3.0.20");
	expect_version("PHP 8.4.27 (cli)", "PHP ", "8.4.27");
	expect_version("mysqld  Ver 5.5.62.", "Ver ", "5.5.62");
	expect_version("OpenSSL alpha", "OpenSSL ", NULL);
	expect_version("nothing of this kind", "Ver ", NULL);
	expect_version("Ver ", "Ver ", NULL);
	expect_version("", "Ver ", NULL);
}

static void test_version_compare(void **state)
{
	(void)state;
	assert_int_equal(version_compare("10.11.6", "10.6"), 1);
	assert_int_equal(version_compare("10.6", "10.11.6"), -1);
	assert_int_equal(version_compare("8.2", "8.2.0"), 0);
	assert_int_equal(version_compare("5.6.20", "5.6.20"), 0);
	assert_int_equal(version_compare("6.8.12", "6.1.9"), 1);
	assert_int_equal(version_compare("10.11.18-MariaDB", "10.11.18"), 0);
	assert_int_equal(version_compare("", "1"), -1);
	assert_int_equal(version_compare("99999999999999999999999", "1"), 1);
	assert_int_equal(version_compare("1..2", "1"), 0);
}

static void test_php_string(void **state)
{
	(void)state;
	static const char text[] =
		"<?php\n/* @global string $wp_version */\n$wp_version = '6.8.12';\n"
		"$required_php_version = \"7.2.24\";\n$broken = 'open";
	char *v = php_string_of(text, "wp_version");
	assert_string_equal(v, "6.8.12");
	free(v);
	v = php_string_of(text, "required_php_version");
	assert_string_equal(v, "7.2.24");
	free(v);
	assert_null(php_string_of(text, "broken"));
	assert_null(php_string_of(text, "missing"));
	assert_null(php_string_of("", "wp_version"));
}

static const char layout[] = "version\t8.4.27\n"
			     "extensions\t/usr/lib/php/20240924\n"
			     "module\t/usr/lib/apache2/modules/libphp8.4.so\n"
			     "apache\tmpm_prefork\n"
			     "apache\tbad name\n"
			     "ini\t/usr/lib/php/8.4/php.ini-production\n"
			     "conf_from\tpackages\n"
			     "conf\textension=mysqlnd.so\n"
			     "conf\tzend_extension=opcache.so\n"
			     "no tab here\n"
			     "unknown\tkey\n"
			     "uid\t0\n"
			     "web_user\twww-data\t33\t34\n";

static void test_layout(void **state)
{
	struct php_layout l = {0};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(php_layout_read(layout, &l, &err), 0);
	assert_string_equal(l.version, "8.4.27");
	assert_string_equal(l.module, "/usr/lib/apache2/modules/libphp8.4.so");
	assert_string_equal(l.ini, "/usr/lib/php/8.4/php.ini-production");
	assert_true(l.conf_from_packages);
	assert_int_equal(l.conf.n, 2);
	assert_string_equal(l.conf.v[1], "zend_extension=opcache.so");
	assert_int_equal(l.apache.n, 1);
	assert_int_equal(l.uid, 0);
	assert_string_equal(l.web_user, "www-data");
	assert_int_equal(l.web_uid, 33);
	assert_int_equal(l.web_gid, 34);
	php_layout_release(&l);
}

static void test_layout_hostile(void **state)
{
	static const char head[] = "version\t8.2.1\nextensions\t/x\n";
	static const char *const users[] = {
		"web_user\troot\t0\t0\n",    "web_user\tnobody\n",
		"web_user\tno body\t9\t9\n", "web_user\tn\nLoadModule x\t9\t9\n",
		"web_user\tnobody\t-1\t9\n", "web_user\tnobody\tx\t9\n"};
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
		struct php_layout l = {0};
		char *text = mem_printf("%s%s", head, users[i]);
		assert_int_equal(php_layout_read(text, &l, &err), 0);
		assert_null(l.web_user);
		assert_int_equal(l.uid, -1);
		php_layout_release(&l);
		free(text);
	}
	struct php_layout l = {0};
	assert_true(php_layout_read("", &l, &err) < 0);
	assert_true(php_layout_read("PHP Fatal error: something", &l, &err) < 0);
	assert_non_null(strstr(err.msg, "PHP did not say"));
}

static struct setting_vars vars_of(bool root, bool switch_user)
{
	return (struct setting_vars){.run = "/run/lampduel",
				     .port = "8099",
				     .life = "3",
				     .tree = "/run/tree",
				     .opcache = "off",
				     .user = "nobody",
				     .gid = "65534",
				     .root = root,
				     .switch_user = switch_user};
}

static void test_ini(void **state)
{
	struct php_layout l = {0};
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	struct setting_vars vars = vars_of(true, true);

	(void)state;
	assert_int_equal(php_layout_read(layout, &l, &err), 0);
	php_ini_write(&b, "; a comment\n[PHP]\n\nmemory_limit = 128M\r\n  ; more\n", &l, &vars);
	assert_true(strncmp(b.data, "[PHP]\nmemory_limit = 128M\n[lampduel]\n", 37) == 0);
	assert_null(strstr(b.data, "comment"));
	/* the conf.d comes after the release's file and before ours */
	const char *conf = strstr(b.data, "\nzend_extension=opcache.so\n");
	const char *ours = strstr(b.data, "\nopcache.enable=off\n");
	assert_non_null(conf);
	assert_non_null(ours);
	assert_true(conf < ours);
	assert_non_null(strstr(b.data, "\nlampduel.run=\"/run/lampduel\"\n"));
	assert_non_null(strstr(b.data, "\nlampduel.web_uid=33\n"));
	vars.switch_user = false;
	buf_clear(&b);
	php_ini_write(&b, "", &l, &vars);
	assert_non_null(strstr(b.data, "\nlampduel.web_uid=0\n"));
	buf_release(&b);
	php_layout_release(&l);
}

static void test_settings_write(void **state)
{
	struct buf b = BUF_INIT;
	struct setting_vars vars = vars_of(true, true);

	(void)state;
	settings_write(&b, SETTING_MARIADB, &vars);
	assert_non_null(strstr(b.data, "user=root\n"));
	assert_non_null(strstr(b.data, "datadir=\"/run/lampduel/data\"\n"));
	assert_non_null(strstr(b.data, "skip-networking=1\n"));
	assert_null(strchr(b.data, '{'));
	buf_clear(&b);
	settings_write(&b, SETTING_APACHE, &vars);
	assert_non_null(strstr(b.data, "Listen 127.0.0.1:8099\n"));
	assert_non_null(strstr(b.data, "User nobody\nGroup #65534\n"));
	assert_non_null(strstr(b.data, "PHPIniDir \"/run/lampduel/php-off\"\n"));
	assert_non_null(strstr(b.data, "<Directory \"/run/tree\">\nRequire all granted\n"));
	assert_null(strstr(b.data, "CustomLog"));
	assert_null(strchr(b.data, '{'));
	/* every section is closed, none is left open at the end */
	size_t opened = 0, closed = 0;
	for (const char *p = b.data; (p = strchr(p, '<')) != NULL; p++)
		*(p[1] == '/' ? &closed : &opened) += 1;
	assert_int_equal(opened, 4);
	assert_int_equal(closed, 4);
	assert_string_equal(b.data + b.len - 14, "</FilesMatch>\n");
	/* a folder with blanks and quotes */
	buf_clear(&b);
	vars.run = "/a \"b\" c\\d";
	settings_write(&b, SETTING_APACHE, &vars);
	assert_non_null(strstr(b.data, "ServerRoot \"/a \\\"b\\\" c\\\\d\"\n"));
	assert_non_null(strstr(b.data, "Alias /lampduel-ready \"/a \\\"b\\\" c\\\\d/ready\"\n"));
	buf_clear(&b);
	vars = vars_of(false, false);
	settings_write(&b, SETTING_MARIADB, &vars);
	assert_null(strstr(b.data, "user=root"));
	buf_clear(&b);
	settings_write(&b, SETTING_APACHE, &vars);
	assert_null(strstr(b.data, "User "));
	buf_release(&b);
}

static void test_settings_report(void **state)
{
	struct factset f = {0};
	struct factset other = {0};
	struct setting_vars vars = vars_of(true, true);

	(void)state;
	settings_report(&vars, true, &f);
	assert_string_equal(factset_get(&f, "setting.mariadb.datadir"), "{run}/data");
	assert_string_equal(factset_get(&f, "setting.mariadb.ssl"), "0");
	assert_string_equal(factset_get(&f, "setting.php.opcache.enable"), "on or off, by task");
	assert_string_equal(factset_get(&f, "setting.apache.listen"), "127.0.0.1:{port}");
	assert_string_equal(factset_get(&f, "setting.apache.customlog"), "none");
	assert_string_equal(factset_get(&f, "setting.apache.tree.require"), "all granted");
	for (size_t i = 0; i < f.n; i++) {
		assert_true(f.v[i].origin[0] != '\0'); /* each says why */
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(f.v[i].key, f.v[k].key);
	}
	/* another run folder, port and life are no difference of settings */
	vars.run = "/tmp/other";
	vars.port = "1";
	vars.life = "9";
	settings_report(&vars, true, &other);
	assert_int_equal(f.n, other.n);
	for (size_t i = 0; i < f.n; i++)
		assert_string_equal(f.v[i].value, other.v[i].value);
	factset_release(&other);
	settings_report(&vars, false, &other);
	assert_null(factset_get(&other, "setting.apache.listen"));
	assert_non_null(factset_get(&other, "setting.mariadb.datadir"));
	factset_release(&other);
	factset_release(&f);
}

static void expect_words(const char *log, const char *expected)
{
	char *words = service_last_words(log, strlen(log));

	assert_string_equal(words, expected);
	free(words);
}

static void test_last_words(void **state)
{
	(void)state;
	expect_words("", "");
	expect_words("\n\n  \n", "");
	expect_words("one\ntwo\n\n", "two");
	expect_words("[Note] start\n[ERROR] unknown variable 'x'\n[ERROR] Aborting\n[Note] bye\n",
		     "[ERROR] unknown variable 'x'");
	expect_words(
		"(98)Address already in use: AH00072: make_sock\n"
		"no listening sockets available, shutting down\nAH00015: Unable to open logs\n",
		"(98)Address already in use: AH00072: make_sock");
	expect_words("[Warning] InnoDB: Error number 28 means 'No space left on device'\n"
		     "[ERROR] Unknown/unsupported storage engine: InnoDB\n[ERROR] Aborting\n",
		     "[Warning] InnoDB: Error number 28 means 'No space left on device'");
	expect_words("evil \x1b[31m red\r\n", "evil \\x1b[31m red");
	char *words = service_last_words("a\0b", 3);
	assert_string_equal(words, "a\\x00b");
	free(words);
}

static void test_supported(void **state)
{
	struct stack_programs p = {.mariadbd = (char *)"/m", .mariadb = (char *)"/c"};
	char *reason = NULL;

	(void)state;
	assert_true(stack_supported(&p, false, &reason));
	assert_null(reason);
	assert_false(stack_supported(&p, true, &reason));
	assert_non_null(strstr(reason, "apache2-bin"));
	assert_non_null(strstr(reason, "libapache2-mod-php"));
	assert_null(strstr(reason, "mariadb"));
	free(reason);
	p.mariadb = NULL;
	assert_false(stack_supported(&p, false, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_after),  cmocka_unit_test(test_version_compare),
		cmocka_unit_test(test_php_string),     cmocka_unit_test(test_layout),
		cmocka_unit_test(test_layout_hostile), cmocka_unit_test(test_ini),
		cmocka_unit_test(test_settings_write), cmocka_unit_test(test_settings_report),
		cmocka_unit_test(test_last_words),     cmocka_unit_test(test_supported),
	};

	return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
