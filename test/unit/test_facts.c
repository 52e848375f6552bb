/* facts: what the files of a machine and the words of programs are read as. The texts are ours,
 * written after the manuals: a Raspberry Pi 3, and Slackware ARM 14.2 on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "facts/difference.h"
#include "facts/effective.h"
#include "facts/machine.h"
#include "facts/packages.h"

static void owned_equal(char *got, const char *want)
{
	if (want == NULL)
		assert_null(got);
	else
		assert_string_equal(got, want);
	free(got);
}

static void fact_is(const struct factset *f, const char *key, const char *want)
{
	const char *got = factset_get(f, key);

	if (want == NULL) {
		assert_null(got);
		return;
	}
	if (got == NULL)
		fail_msg("there is no fact %s", key);
	assert_string_equal(got, want);
}

static const char pi_cpuinfo[] =
	"processor\t: 0\nmodel name\t: ARMv7 Processor rev 4 (v7l)\nBogoMIPS\t: 38.40\n"
	"Features\t: half thumb fastmult vfp edsp neon vfpv3 tls vfpv4 idiva idivt vfpd32 lpae\n"
	"CPU implementer\t: 0x41\nCPU architecture: 7\nCPU part\t: 0xd03\n\n"
	"processor\t: 1\nmodel name\t: ARMv7 Processor rev 4 (v7l)\n\n"
	"processor\t: 2\n\nprocessor\t: 3\n\n"
	"Hardware\t: BCM2835\nRevision\t: a02082\nModel\t\t: Raspberry Pi 3 Model B Rev 1.2\n";

static void a_raspberry_pi_is_read(void **state)
{
	struct factset f = {0};

	(void)state;
	machine_cpuinfo(pi_cpuinfo, &f);
	machine_meminfo("MemTotal:         947760 kB\nMemFree: 1 kB\nSwapTotal:  102396 kB\n", &f);
	machine_swaps("Filename\tType\tSize\tUsed\tPriority\n/var/swap file 102396 0 -2\n"
		      "/dev/zram0 partition 9 0 100\n",
		      &f);
	machine_os_release("PRETTY_NAME=\"Raspbian GNU/Linux 12 (bookworm)\"\nID=raspbian\n", &f);
	fact_is(&f, "cpu.model", "ARMv7 Processor rev 4 (v7l)");
	fact_is(&f, "cpu.board", "Raspberry Pi 3 Model B Rev 1.2");
	fact_is(&f, "cpu.part", "Cortex-A53");
	fact_is(&f, "cpu.cores", "4");
	fact_is(&f, "memory.total", "925 MiB");
	fact_is(&f, "memory.swap", "99 MiB");
	fact_is(&f, "memory.swap_on", "file, zram");
	fact_is(&f, "os.name", "Raspbian GNU/Linux 12 (bookworm)");
	fact_is(&f, "virtual.cpu_bit", NULL);
	factset_release(&f);
	/* 64-bit kernels say no model name */
	machine_cpuinfo("processor : 0\nCPU implementer : 0x41\nCPU part : 0xd03\n\n"
			"Model : Raspberry Pi 3 Model B Rev 1.2",
			&f);
	fact_is(&f, "cpu.model", "Raspberry Pi 3 Model B Rev 1.2");
	factset_release(&f);
	owned_equal(machine_mhz("1200000\n"), "1200 MHz");
	owned_equal(machine_mhz("fast"), NULL);
	owned_equal(machine_chosen("always [madvise] never\n"), "madvise");
	owned_equal(machine_chosen("always"), NULL);
	owned_equal(machine_distinct("ondemand\nperformance\nondemand\n"), "ondemand, performance");
}

static void other_machines_are_read(void **state)
{
	struct factset f = {0};

	(void)state;
	machine_cpuinfo(
		"processor\t: 0\nmodel name\t: Xeon(R) @ 2.60GHz \nflags\t: sse hypervisor\n", &f);
	fact_is(&f, "cpu.model", "Xeon(R) @ 2.60GHz");
	fact_is(&f, "virtual.cpu_bit", "yes");
	factset_release(&f);
	machine_cpuinfo("model name :\nflags : nothypervisor", &f);
	fact_is(&f, "cpu.model", NULL);
	fact_is(&f, "virtual.cpu_bit", NULL);
	factset_release(&f);
	machine_cpuinfo("", &f);
	machine_meminfo("MemTotal: many\n", &f);
	machine_swaps("Filename Type\n", &f);
	fact_is(&f, "memory.swap_on", "none");
	fact_is(&f, "memory.total", NULL);
	assert_int_equal(f.n, 1);
	factset_release(&f);
	owned_equal(machine_virtual("QEMU", "Standard PC", NULL, true, NULL), "QEMU");
	owned_equal(machine_virtual(NULL, NULL, "xen\n", true, NULL), "Xen");
	owned_equal(machine_virtual("LENOVO", "20AB", NULL, false, NULL), "none");
	owned_equal(machine_virtual(NULL, NULL, NULL, false, "Raspberry Pi 3 Model B"), "none");
	owned_equal(machine_virtual(NULL, NULL, NULL, false, "linux,dummy-virt"),
		    "a virtual machine (linux,dummy-virt)");
	owned_equal(machine_virtual(NULL, NULL, NULL, false, NULL), NULL);
	owned_equal(machine_container("lxc\n", NULL), "lxc");
	owned_equal(machine_container(NULL, "0::/docker/abc\n"), "docker");
	owned_equal(machine_container(NULL, "0::/user.slice\n"), NULL);
}

static void storage_is_read(void **state)
{
	static const char mounts[] = "1 0 179:2 / / rw,noatime - ext4 /dev/root rw\n"
				     "2 1 0:5 / /run rw shared:1 - tmpfs tmpfs rw\n"
				     "3 2 8:2 /x /run/lampduel rw - btrfs /dev/sdb2 rw\n"
				     "4 1 0:9 / /run/lampduel2 rw - tmpfs other rw\nbroken\n";
	static const char ios[] = "clock:\t\t50000000 Hz\nactual clock:\t50000000 Hz\n"
				  "bus width:\t2 (4 bits)\ntiming spec:\t5 (sd uhs SDR50)\n";
	struct machine_mount m;

	(void)state;
	assert_true(machine_mount_of(mounts, "/run/lampduel/data", &m));
	assert_string_equal(m.source, "/dev/sdb2");
	assert_string_equal(m.type, "btrfs");
	assert_string_equal(m.device, "8:2");
	machine_mount_release(&m);
	assert_true(machine_mount_of(mounts, "/srv", &m));
	assert_string_equal(m.device, "179:2");
	assert_string_equal(m.options, "rw,noatime");
	machine_mount_release(&m);
	assert_false(machine_mount_of("", "/srv", &m));
	owned_equal(machine_card("SC16G\n", "SD\n", "10/2015\n", "0x000003\n", ios),
		    "SD card SC16G, made 10/2015, maker 0x03 (SanDisk), UHS-I SDR50 at 50 MHz");
	owned_equal(machine_card("SU04G", "SD", NULL, NULL, ""), "SD card SU04G");
	owned_equal(machine_card(NULL, NULL, "10/2015", NULL, NULL), NULL);
}

static void packages_are_read(void **state)
{
	struct factset f = {0};

	(void)state;
	packages_slackware("aaa_base-14.2-arm-3\nhttpd-2.4.27-arm-1_slack14.2\n"
			   "mariadb-10.0.31-arm-1_slack14.2\nphp-5.6.31-arm-1_slack14.2\n"
			   "openssl-1.0.2k-arm-1\nopenssl-solibs-1.0.2k-arm-1\nbroken\n-a-b-c\n",
			   &f);
	machine_os_release(
		"NAME=Slackware\nPRETTY_NAME=\"Slackware 14.2 arm (...)\"\nID=slackware\n", &f);
	machine_slackware("Slackware 14.2\n", &f);
	fact_is(&f, "package.httpd", "2.4.27-arm-1_slack14.2");
	fact_is(&f, "package.mariadb", "10.0.31-arm-1_slack14.2");
	fact_is(&f, "package.openssl-solibs", "1.0.2k-arm-1");
	fact_is(&f, "os.name", "Slackware 14.2");
	fact_is(&f, "os.id", "slackware");
	assert_int_equal(f.n, 7);
	factset_release(&f);
	packages_dpkg_status("Package: libc6\nStatus: install ok installed\nVersion: 2.36-9\n"
			     "Description: x\n Version: 9\n\nPackage: openssl\n"
			     "Status: deinstall ok config-files\nVersion: 3\n\n"
			     "Package: vim\nStatus: install ok installed\nVersion: 9\n\n"
			     "Package: php8.2-cli\nVersion: 8.2.3-1\nStatus: install ok installed",
			     &f);
	fact_is(&f, "package.libc6", "2.36-9");
	fact_is(&f, "package.php8.2-cli", "8.2.3-1");
	assert_int_equal(f.n, 2);
	factset_release(&f);
	packages_dpkg_query(
		"openssl\t3.0.20-1\tinstall ok installed\nphp\t2\tunknown ok not-installed\n"
		"vim\t9\tinstall ok installed\nbroken\n",
		&f);
	fact_is(&f, "package.openssl", "3.0.20-1");
	assert_int_equal(f.n, 1);
	factset_release(&f);
}

static void settings_are_read(void **state)
{
	struct factset f = {0};

	(void)state;
	effective_php_info(
		"phpinfo()\nPHP Version => 8.2.1\nCompiler => gcc 12\nDebug Build => no\n"
		"Directive => Local Value => Master Value\n"
		"memory_limit => 128M => 256M\nauto_append_file => no value => no value\n"
		"mysqli.default_pw => hunter2 => hunter2\n"
		"session.save_path => tcp://r:6379?auth=hunter2&x=1 => no value\n"
		"HOME => /root\n$_SERVER['PW'] => a => hunter2\n",
		&f);
	fact_is(&f, "effective.php.memory_limit", "128M");
	fact_is(&f, "effective.php.mysqli.default_pw", "(hidden)");
	fact_is(&f, "effective.php.session.save_path", "tcp://r:6379?auth=(hidden)&x=1");
	fact_is(&f, "build.php.compiler", "gcc 12");
	fact_is(&f, "effective.php.home", NULL);
	assert_int_equal(f.n, 6);
	factset_release(&f);
	effective_php_modules(
		"[PHP Modules]\nCore\nZend OPcache\nbcmath\n\n[Zend Modules]\nZend OPcache\n", &f);
	fact_is(&f, "effective.php.modules", "bcmath Core Zend_OPcache");
	factset_release(&f);
	effective_mariadb_help(
		"mysqld  Ver 10.0.31\nVariables (--variable-name=value)\n"
		"and boolean options {FALSE|TRUE}  Value (after reading options)\n"
		"--------------------------------- ----------------------------\n"
		"key-buffer-size                   16777216\n"
		"init-connect                      \n"
		"basedir                           (No default value)\n"
		"master-password                   hunter2\n\nTo see what values\nx y\n",
		&f);
	fact_is(&f, "effective.mariadb.key_buffer_size", "16777216");
	fact_is(&f, "effective.mariadb.init_connect", "");
	fact_is(&f, "effective.mariadb.basedir", "");
	fact_is(&f, "effective.mariadb.master_password", "(hidden)");
	assert_int_equal(f.n, 4);
	factset_release(&f);
	effective_mariadb_variables("Variable_name\tValue\nold_passwords\tOFF\ntimestamp\t17.5\n"
				    "sql_mode\tA,B\nempty\t\n",
				    "SHOW", &f);
	fact_is(&f, "effective.mariadb.sql_mode", "A,B");
	fact_is(&f, "effective.mariadb.timestamp", NULL);
	fact_is(&f, "effective.mariadb.empty", "");
	assert_int_equal(f.n, 3);
	factset_release(&f);
	effective_apache_build("Server version: Apache/2.4.27\nServer MPM:     prefork\n"
			       " -D APR_HAS_SENDFILE\n -D DYNAMIC_MODULE_LIMIT=256\n"
			       " -D HTTPD_ROOT=\"/usr\"\n -D APR_HAVE_IPV6 (IPv4-mapped)\n",
			       &f);
	effective_apache_modules("Loaded Modules:\n so_module (static)\n alias_module (shared)\n",
				 &f);
	effective_openssl("OpenSSL 1.0.2k\nbuilt on: x\nplatform: linux-armv4\n"
			  "options:  bn(64,32) rc4(ptr,char)\ncompiler: gcc -O3 -march=armv5te\n"
			  "OPENSSLDIR: \"/etc/ssl\"\nCPUINFO: OPENSSL_armcap=0x0\n",
			  &f);
	fact_is(&f, "effective.apache.mpm", "prefork");
	fact_is(&f, "build.apache.options",
		"APR_HAS_SENDFILE APR_HAVE_IPV6 DYNAMIC_MODULE_LIMIT=256");
	fact_is(&f, "effective.apache.modules", "alias so");
	fact_is(&f, "build.openssl.compiler", "gcc -O3 -march=armv5te");
	fact_is(&f, "effective.openssl.cpuinfo", "OPENSSL_armcap=0x0");
	factset_release(&f);
}

static void secrets_are_masked(void **state)
{
	(void)state;
	owned_equal(effective_masked("dbpassword", "x"), "(hidden)");
	owned_equal(effective_masked("API_KEY", "x"), "(hidden)");
	owned_equal(effective_masked("redis.token", "x"), "(hidden)");
	owned_equal(effective_masked("password", ""), "");
	owned_equal(effective_masked("old_passwords", "1"), "1");
	owned_equal(effective_masked("proxy", "http://me:hunter2@proxy:3128/"),
		    "http://proxy:3128/");
	owned_equal(effective_masked("dsn", "host=a;password=hunter2;x=1"),
		    "host=a;password=(hidden);x=1");
	owned_equal(effective_masked("sql_mode", "monkey=1"), "monkey=1");
	owned_equal(effective_masked_words("root=/dev/mmcblk0p2 rootwait  wifi.password=hunter2\n"),
		    "root=/dev/mmcblk0p2 rootwait wifi.password=(hidden)");
	owned_equal(effective_masked_words(""), "");
}

static void what_is_compiled_in_is_no_setting(void **state)
{
	static const char key[] = "effective.mariadb.version_compile_os";
	struct factset a = {0};
	struct factset b = {0};
	struct differences d;

	(void)state;
	factset_set(&a, key, "debian-linux-gnueabi", "");
	factset_set(&b, key, "debian-linux-gnueabihf", "");
	differences_make(&a, &b, &d);
	assert_int_equal(d.rows.n, 1);
	assert_string_equal(d.rows.v[0].kind->group, "Builds");
	assert_int_equal(d.advice.n, 0);
	differences_release(&d);
	char *shown = differences_shown("x86-64", "x86-64");
	assert_string_equal(shown, "x86-64");
	free(shown);
	/* cut between characters, not within one */
	struct buf text = BUF_INIT;
	while (text.len < 300)
		buf_addstr(&text, "ü");
	shown = differences_shown(buf_str(&text), "");
	assert_int_equal(strlen(shown), 239);
	assert_string_equal(shown + 234, "ü...");
	free(shown);
	buf_release(&text);
	factset_release(&a);
	factset_release(&b);
}

static void differences_are_ordered_by_suspicion(void **state)
{
	struct factset a = {0};
	struct factset b = {0};
	struct differences d;

	(void)state;
	factset_set(&a, "os.name", "Slackware 14.2", "");
	factset_set(&b, "os.name", "Slackware 15.0", "");
	factset_set(&a, "effective.php.memory_limit", "128M", "");
	factset_set(&b, "effective.php.memory_limit", "256M", "");
	factset_set(&a, "effective.php.precision", "14", "");
	factset_set(&b, "effective.php.precision", "14", "");
	factset_set(&a, "effective.php.opcache.enable", "On", "");
	factset_set(&b, "effective.php.opcache.enable", "Off", "");
	factset_set(&a, "abi.float", "soft", "");
	factset_set(&b, "abi.float", "hard", "");
	factset_set(&a, "time.zone", "UTC", "");
	factset_set(&b, "cpu.governor", "performance", "");
	differences_make(&a, &b, &d);
	assert_int_equal(d.rows.n, 5);
	assert_string_equal(d.rows.v[0].key, "abi.float");
	assert_string_equal(d.rows.v[1].key, "cpu.governor");
	assert_string_equal(d.rows.v[1].a, "");
	assert_string_equal(d.rows.v[1].b, "performance");
	assert_string_equal(d.rows.v[2].key, "effective.php.opcache.enable");
	assert_string_equal(d.rows.v[3].key, "os.name");
	assert_string_equal(d.rows.v[4].key, "effective.php.memory_limit");
	for (size_t i = 0; i < d.groups.n; i++) {
		if (strcmp(d.groups.v[i].group, "PHP settings") == 0) {
			assert_int_equal(d.groups.v[i].equal, 1);
			assert_int_equal(d.groups.v[i].differ, 2);
		}
	}
	/* the ABI's, the governor's, and php.ini's once */
	assert_int_equal(d.advice.n, 3);
	differences_release(&d);
	differences_make(&a, &a, &d);
	assert_int_equal(d.rows.n + d.advice.n, 0);
	differences_release(&d);
	factset_release(&a);
	factset_release(&b);
	owned_equal(differences_words("a b c", "b d"), "only here: a c");
	owned_equal(differences_words("a b", "b a c"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_raspberry_pi_is_read),
		cmocka_unit_test(other_machines_are_read),
		cmocka_unit_test(storage_is_read),
		cmocka_unit_test(packages_are_read),
		cmocka_unit_test(settings_are_read),
		cmocka_unit_test(secrets_are_masked),
		cmocka_unit_test(what_is_compiled_in_is_no_setting),
		cmocka_unit_test(differences_are_ordered_by_suspicion),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
