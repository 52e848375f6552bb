#include "facts/packages.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "facts/lines.h"

bool packages_wanted(const char *name)
{
	static const char *const exact[] = {
		"apache2",      "apache2-bin",    "httpd",      "php",
		"mariadb",      "mysql",          "openssl",    "wordpress",
		"libc6",        "libc6.1",        "glibc",      "musl",
		"glibc-solibs", "openssl-solibs", "libssl3",    "libssl3t64",
		"libssl1.1",    "libssl1.0.0",    "libstdc++6", "libgcc-s1",
		"zlib1g",       "zlib",           "pcre",       "pcre2",
		"libpcre2-8-0", "libxml2",        "apr",        "apr-util",
		"libapr1",      "libapr1t64",     NULL};
	static const char *const starts[] = {"mariadb-server",
					     "mariadb-client",
					     "mysql-server",
					     "mysql-client",
					     "libapache2-mod-php",
					     "php5",
					     "php7",
					     "php8",
					     NULL};

	for (size_t i = 0; exact[i] != NULL; i++) {
		if (text_equal(name, exact[i]))
			return true;
	}
	for (size_t i = 0; starts[i] != NULL; i++) {
		if (text_starts(name, starts[i]))
			return true;
	}
	return false;
}

static void add(struct factset *f, const char *name, const char *version, const char *origin)
{
	char *key = mem_printf("package.%s", name);

	factset_set(f, key, version, origin);
	free(key);
}

void packages_dpkg_status(const char *text, struct factset *f)
{
	struct line l;
	char *name = NULL;
	char *version = NULL;
	bool installed = false;

	for (bool more = true; more;) {
		more = lines_next(&text, &l);
		if (!more || l.len == 0) {
			if (installed && name != NULL && version != NULL && packages_wanted(name))
				add(f, name, version, "dpkg status");
			mem_replace(&name, NULL);
			mem_replace(&version, NULL);
			installed = false;
			continue;
		}
		char *v = NULL;
		if ((v = lines_value(l, "Package", ":")) != NULL) {
			mem_replace(&name, v);
		} else if ((v = lines_value(l, "Version", ":")) != NULL) {
			mem_replace(&version, v);
		} else if ((v = lines_value(l, "Status", ":")) != NULL) {
			installed = text_ends(v, " installed");
			free(v);
		}
	}
	free(name);
	free(version);
}

void packages_dpkg_query(const char *text, struct factset *f)
{
	struct line l;

	while (lines_next(&text, &l)) {
		char *line = lines_text(l);
		char *version = strchr(line, '\t');
		char *status = version == NULL ? NULL : strchr(version + 1, '\t');

		if (status != NULL && text_ends(status, " installed")) {
			*version = *status = '\0';
			if (packages_wanted(line))
				add(f, line, version + 1, "dpkg-query");
		}
		free(line);
	}
}

/* Cuts the last part behind a dash off; false when there is none. */
static bool cut_part(char *text, char **part)
{
	char *dash = strrchr(text, '-');

	if (dash == NULL || dash == text)
		return false;
	*dash = '\0';
	*part = dash + 1;
	return true;
}

void packages_slackware(const char *text, struct factset *f)
{
	struct line l;

	while (lines_next(&text, &l)) {
		char *line = lines_text(l);
		char *build = NULL, *arch = NULL, *version = NULL;

		if (cut_part(line, &build) && cut_part(line, &arch) && cut_part(line, &version) &&
		    packages_wanted(line)) {
			char *full = mem_printf("%s-%s-%s", version, arch, build);
			add(f, line, full, "/var/log/packages");
			free(full);
		}
		free(line);
	}
}
