#include "facts/difference.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"

/* The first prefix that fits counts. */
static const struct fact_class classes[] = {
	{"root.", NULL, 0, NULL},
	{"time.", NULL, 0, NULL},
	{"recorded.", NULL, 0, NULL},
	{"sandbox", NULL, 0, NULL},
	{"os.id", NULL, 0, NULL},
	{"virtual.cpu_bit", NULL, 0, NULL},
	{"build.php.date", NULL, 0, NULL},
	{"build.apache.date", NULL, 0, NULL},
	{"build.openssl.date", NULL, 0, NULL},
	{"effective.php.ini_file", NULL, 0, NULL},
	{"effective.php.extension_dir", NULL, 0, NULL},
	{"effective.mariadb.hostname", NULL, 0, NULL},
	/* compiled in: for which machine, with which libraries */
	{"effective.mariadb.version", "Builds", 40, NULL},
	{"cpu.emulat", "Execution", 100, "measure both natively, or both emulated alike"},
	{"abi.", "ABI and CPU baseline", 98,
	 "if the port is not what is compared, take programs of one port for both"},
	{"arch", "ABI and CPU baseline", 97,
	 "if the port is not what is compared, take programs of one port for both"},
	{"elf.", "ABI and CPU baseline", 94,
	 "if the port is not what is compared, take programs of one port for both"},
	{"cpu.governor", "CPU", 93, "set the same governor on both, performance best"},
	{"cpu.max_mhz", "CPU", 92, "set the same frequency limits on both"},
	{"cpu.", "CPU", 90, "use one machine for both, or two of the same kind"},
	{"virtual.", "Machine", 88, "measure both outside of, or in the same, virtual machine"},
	{"machine.", "Machine", 86, "use one machine for both, or two of the same kind"},
	{"apache.version", "Versions", 85, "install the same versions on both"},
	{"mariadb.version", "Versions", 85, "install the same versions on both"},
	{"php.version", "Versions", 85, "install the same versions on both"},
	{"openssl.version", "Versions", 85, "install the same versions on both"},
	{"wordpress.version", "Versions", 85, "install the same versions on both"},
	{"effective.php.opcache.", "PHP settings", 80, "carry php.ini over from one to the other"},
	{"effective.php.pcre.jit", "PHP settings", 78, "carry php.ini over from one to the other"},
	{"effective.php.zend.assertions", "PHP settings", 77,
	 "carry php.ini over from one to the other"},
	{"effective.php.modules", "PHP settings", 74, "load the same modules"},
	{"effective.mariadb.innodb_buffer_pool", "MariaDB settings", 76,
	 "carry my.cnf over from one to the other"},
	{"effective.mariadb.innodb_flush", "MariaDB settings", 76,
	 "carry my.cnf over from one to the other"},
	{"effective.mariadb.query_cache", "MariaDB settings", 75,
	 "carry my.cnf over from one to the other"},
	{"effective.mariadb.performance_schema", "MariaDB settings", 75,
	 "carry my.cnf over from one to the other"},
	{"effective.mariadb.log_bin", "MariaDB settings", 74,
	 "carry my.cnf over from one to the other"},
	{"effective.apache.mpm", "Apache settings", 76, "use the same MPM"},
	{"effective.apache.modules", "Apache settings", 70, "load the same modules"},
	{"effective.openssl.cpuinfo", "OpenSSL", 80,
	 "unset OPENSSL_ia32cap or OPENSSL_armcap where it is set"},
	{"build.openssl.compiler", "Builds", 72, NULL},
	{"build.openssl.options", "Builds", 72, NULL},
	{"libc.", "Builds", 70, NULL},
	{"build.", "Builds", 60, NULL},
	{"package.", "Packages", 55, "install the same packages on both"},
	{"storage.model", "Storage", 65,
	 "use cards or disks of one model and age, or the same one"},
	{"storage.kind", "Storage", 64, "use cards or disks of one model and age, or the same one"},
	{"storage.", "Storage", 58, "use the same file system and options"},
	{"kernel.release", "Kernel", 62, "boot the same kernel"},
	{"kernel.cmdline", "Kernel", 52, "boot with the same command line"},
	{"kernel.page_size", "Kernel", 66, "boot kernels with pages of the same size"},
	{"kernel.", "Kernel", 50, "boot the same kernel"},
	{"memory.", "Memory", 54, "use the same memory and swap"},
	{"os.", "Distribution", 45, NULL},
	{"placement.", "Execution", 60, "measure on the same CPUs"},
	{"setting.", "lampduel's settings", 40, NULL},
	{"effective.php.", "PHP settings", 30, "carry php.ini over from one to the other"},
	{"effective.mariadb.", "MariaDB settings", 28, "carry my.cnf over from one to the other"},
	{"effective.apache.", "Apache settings", 28, "carry httpd.conf over from one to the other"},
	{"effective.", "Other settings", 20, NULL},
	{"", "Other", 10, NULL},
};

const struct fact_class *fact_class_of(const char *key)
{
	const struct fact_class *c = classes;

	while (!text_starts(key, c->prefix))
		c++;
	return c;
}

/* Where a program keeps its files says nothing of its speed. */
static bool is_path(const char *v)
{
	return v[0] == '/' || v[0] == '\0' || text_equal(v, "no value");
}

static struct difference_group *group_of(struct differences *d, const char *name)
{
	for (size_t i = 0; i < d->groups.n; i++) {
		if (strcmp(d->groups.v[i].group, name) == 0)
			return &d->groups.v[i];
	}
	struct difference_group *g = vec_add(&d->groups);
	g->group = name;
	return g;
}

static void compare_one(struct differences *d, const char *key, const char *a, const char *b)
{
	const struct fact_class *c = fact_class_of(key);

	if (c->group == NULL)
		return;
	struct difference_group *g = group_of(d, c->group);
	if (text_equal(a, b)) {
		g->equal++;
		return;
	}
	g->differ++;
	struct difference *r = vec_add(&d->rows);
	r->key = mem_strdup(key);
	r->kind = c;
	r->a = mem_strdup(a == NULL ? "" : a);
	r->b = mem_strdup(b == NULL ? "" : b);
	r->suspicion = c->suspicion;
	if (text_starts(key, "effective.")) {
		/* a setting that one version does not have is not one that somebody chose */
		if (a == NULL || b == NULL)
			r->suspicion /= 2;
		else if (is_path(a) && is_path(b))
			r->suspicion /= 4;
	}
}

static int by_suspicion(const void *x, const void *y)
{
	const struct difference *a = x;
	const struct difference *b = y;

	if (a->suspicion != b->suspicion)
		return a->suspicion < b->suspicion ? 1 : -1;
	return strcmp(a->key, b->key);
}

void differences_make(const struct factset *a, const struct factset *b, struct differences *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < a->n; i++)
		compare_one(out, a->v[i].key, a->v[i].value, factset_get(b, a->v[i].key));
	for (size_t i = 0; i < b->n; i++) {
		if (factset_get(a, b->v[i].key) == NULL)
			compare_one(out, b->v[i].key, NULL, b->v[i].value);
	}
	if (out->rows.n > 0)
		qsort(out->rows.v, out->rows.n, sizeof(out->rows.v[0]), by_suspicion);
	for (size_t i = 0; i < out->rows.n; i++) {
		const char *advice = out->rows.v[i].kind->advice;
		bool said = advice == NULL;

		for (size_t k = 0; !said && k < out->advice.n; k++)
			said = strcmp(out->advice.v[k], advice) == 0;
		if (!said)
			vec_push(&out->advice, advice);
	}
}

void differences_release(struct differences *d)
{
	for (size_t i = 0; i < d->rows.n; i++) {
		free(d->rows.v[i].key);
		free(d->rows.v[i].a);
		free(d->rows.v[i].b);
	}
	vec_release(&d->rows);
	vec_release(&d->groups);
	vec_release(&d->advice);
}

static bool has_word(const char *list, const char *word, size_t n)
{
	for (const char *p = list; *p != '\0';) {
		size_t len = strcspn(p, " ");

		if (len == n && memcmp(p, word, n) == 0)
			return true;
		p += len;
		p += strspn(p, " ");
	}
	return false;
}

char *differences_words(const char *mine, const char *other)
{
	struct buf b = BUF_INIT;

	for (const char *p = mine; *p != '\0';) {
		size_t n = strcspn(p, " ");

		if (n > 0 && !has_word(other, p, n))
			buf_addf(&b, "%s%.*s", b.len == 0 ? "only here: " : " ", (int)n, p);
		p += n;
		p += strspn(p, " ");
	}
	return buf_detach(&b);
}

char *differences_shown(const char *mine, const char *other)
{
	enum { LIST_MIN = 80, SHOWN_MAX = 240 };
	bool is_list = strlen(mine) > LIST_MIN && strchr(mine, ' ') != NULL;
	char *text =
		is_list && other[0] != '\0' ? differences_words(mine, other) : mem_strdup(mine);

	if (strlen(text) > SHOWN_MAX) {
		size_t n = SHOWN_MAX - 3;
		while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
			n--;
		memcpy(text + n, "...", 4);
	}
	return text;
}
