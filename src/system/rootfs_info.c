#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"
#include "facts/fact.h"
#include "system/rootfs.h"

/* A description of another form is not read but made anew. */
enum { FORM = 1, DESCRIPTION_MAX = 4 << 20 };

/* The strings of a description, in the order in which they are written. */
static const struct {
	const char *key;
	size_t offset;
} texts[] = {
	{"target", offsetof(struct rootfs_info, target)},
	{"name", offsetof(struct rootfs_info, name)},
	{"suite", offsetof(struct rootfs_info, suite)},
	{"arch", offsetof(struct rootfs_info, arch)},
	{"os_name", offsetof(struct rootfs_info, os_name)},
	{"mirror", offsetof(struct rootfs_info, mirror)},
	{"sources", offsetof(struct rootfs_info, sources)},
	{"components", offsetof(struct rootfs_info, components)},
	{"release_date", offsetof(struct rootfs_info, release_date)},
	{"created", offsetof(struct rootfs_info, created)},
};

enum { N_TEXTS = sizeof(texts) / sizeof(texts[0]) };

static char **text_at(const struct rootfs_info *i, size_t n)
{
	return (char **)(void *)((char *)(uintptr_t)i + texts[n].offset);
}

void rootfs_packages_release(struct rootfs_packages *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->v[i].name);
		free(p->v[i].version);
		free(p->v[i].arch);
		free(p->v[i].sha256);
	}
	vec_release(p);
}

void rootfs_info_release(struct rootfs_info *i)
{
	for (size_t n = 0; n < N_TEXTS; n++)
		free(*text_at(i, n));
	rootfs_packages_release(&i->packages);
	*i = (struct rootfs_info){0};
}

static int by_name(const void *a, const void *b)
{
	const struct rootfs_package *x = a;
	const struct rootfs_package *y = b;

	return strcmp(x->name, y->name);
}

const char *rootfs_version(const struct rootfs_packages *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->v[i].name, name) == 0)
			return p->v[i].version;
	}
	return NULL;
}

static const char *json_text(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s == NULL ? "" : s;
}

static void read_packages(const json_t *list, struct rootfs_packages *p)
{
	size_t n = 0;
	const json_t *entry = NULL;

	json_array_foreach(list, n, entry)
	{
		struct rootfs_package *to = vec_add(p);

		to->name = mem_strdup(json_text(entry, "name"));
		to->version = mem_strdup(json_text(entry, "version"));
		to->arch = mem_strdup(json_text(entry, "arch"));
		const char *sha256 = json_text(entry, "sha256");
		to->sha256 = *sha256 == '\0' ? NULL : mem_strdup(sha256);
	}
}

int rootfs_info_read(const char *path, struct rootfs_info *i, struct err *err)
{
	struct buf text = BUF_INIT;
	json_error_t why;
	json_t *top = NULL;

	*i = (struct rootfs_info){0};
	int rc = fs_read(path, DESCRIPTION_MAX, &text, err);
	if (rc == 0) {
		top = json_loadb(buf_str(&text), text.len, JSON_REJECT_DUPLICATES, &why);
		if (top == NULL)
			rc = err_set(err, "%s is damaged (line %d)", path, why.line);
		else if (json_integer_value(json_object_get(top, "form")) != FORM)
			rc = err_set(err, "%s is of another version of lampduel", path);
	}
	if (rc == 0) {
		for (size_t n = 0; n < N_TEXTS; n++)
			*text_at(i, n) = mem_strdup(json_text(top, texts[n].key));
		i->bytes = json_integer_value(json_object_get(top, "bytes"));
		read_packages(json_object_get(top, "packages"), &i->packages);
	}
	json_decref(top);
	buf_release(&text);
	return rc;
}

bool rootfs_has_security(const struct rootfs_info *i)
{
	return i->sources != NULL && strstr(i->sources, "-security") != NULL;
}

static json_t *packages_json(const struct rootfs_packages *p)
{
	json_t *list = json_array();

	for (size_t n = 0; n < p->n; n++) {
		json_t *entry = json_object();

		json_object_set_new(entry, "name", json_string(p->v[n].name));
		json_object_set_new(entry, "version", json_string(p->v[n].version));
		json_object_set_new(entry, "arch", json_string(p->v[n].arch));
		if (p->v[n].sha256 != NULL)
			json_object_set_new(entry, "sha256", json_string(p->v[n].sha256));
		json_array_append_new(list, entry);
	}
	return list;
}

int rootfs_info_write(const char *path, const struct rootfs_info *i, struct err *err)
{
	json_t *top = json_object();

	json_object_set_new(top, "form", json_integer(FORM));
	for (size_t n = 0; n < N_TEXTS; n++) {
		const char *s = *text_at(i, n);
		json_object_set_new(top, texts[n].key, json_string(s == NULL ? "" : s));
	}
	json_object_set_new(top, "bytes", json_integer(i->bytes));
	json_object_set_new(top, "packages", packages_json(&i->packages));
	char *text = json_dumps(top, JSON_INDENT(1));
	int rc = text == NULL ? err_set(err, "%s cannot be written as JSON", path)
			      : fs_write_atomic(path, text, strlen(text), 0644, err);
	free(text);
	json_decref(top);
	return rc;
}

/* The value of "Key: value" when the line has that key, else NULL. */
static char *field(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);

	if (len <= n || strncmp(line, key, n) != 0 || line[n] != ':')
		return NULL;
	char *value = mem_strndup(line + n + 1, len - n - 1);
	char *trimmed = mem_strdup(text_trim(value));
	free(value);
	return trimmed;
}

static void add_package(struct rootfs_packages *p, struct rootfs_package *now, char **status)
{
	if (now->name != NULL && now->version != NULL &&
	    (*status == NULL || text_ends(*status, " installed") ||
	     text_ends(*status, " unpacked"))) {
		if (now->arch == NULL)
			now->arch = mem_strdup("");
		vec_push(p, *now);
	} else {
		free(now->name);
		free(now->version);
		free(now->arch);
		free(now->sha256);
	}
	mem_replace(status, NULL);
	*now = (struct rootfs_package){0};
}

void rootfs_packages_read(struct rootfs_packages *p, const char *status, size_t len)
{
	struct rootfs_package now = {0};
	char *state = NULL;
	char *value = NULL;

	for (size_t at = 0; at < len;) {
		const char *line = status + at;
		const char *end = memchr(line, '\n', len - at);
		size_t n = end == NULL ? len - at : (size_t)(end - line);

		at += n + 1;
		if (n == 0)
			add_package(p, &now, &state);
		else if ((value = field(line, n, "Package")) != NULL)
			mem_replace(&now.name, value);
		else if ((value = field(line, n, "Version")) != NULL)
			mem_replace(&now.version, value);
		else if ((value = field(line, n, "Architecture")) != NULL)
			mem_replace(&now.arch, value);
		else if ((value = field(line, n, "SHA256")) != NULL)
			mem_replace(&now.sha256, value);
		else if ((value = field(line, n, "Status")) != NULL)
			mem_replace(&state, value);
	}
	add_package(p, &now, &state);
	if (p->n > 1)
		qsort(p->v, p->n, sizeof(*p->v), by_name);
}

/* Whole names, or beginnings when they end in a star. */
static bool is_measured(const char *name)
{
	static const char *const wanted[] = {"openssl",
					     "libssl*",
					     "libc6",
					     "mariadb-server*",
					     "mariadb-client*",
					     "libmariadb3",
					     "apache2-bin",
					     "libapr1*",
					     "libaprutil1*",
					     "libapache2-mod-php*",
					     "php*",
					     "wordpress*",
					     "zlib1g",
					     "libpcre2-8-0",
					     "libxml2",
					     "libgcc-s1",
					     "libstdc++6",
					     "mysql-server*",
					     "nginx*"};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		size_t n = strlen(wanted[i]);

		if (wanted[i][n - 1] == '*' ? strncmp(name, wanted[i], n - 1) == 0
					    : strcmp(name, wanted[i]) == 0)
			return true;
	}
	return false;
}

void rootfs_package_facts(const struct rootfs_packages *p, const char *origin, struct factset *f)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!is_measured(p->v[i].name))
			continue;
		char *key = mem_printf("package.%s", p->v[i].name);
		factset_set(f, key, p->v[i].version, origin);
		free(key);
		if (p->v[i].sha256 == NULL)
			continue;
		key = mem_printf("package_sha256.%s", p->v[i].name);
		factset_set(f, key, p->v[i].sha256, "the package file");
		free(key);
	}
}
