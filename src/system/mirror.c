#include "system/mirror.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/proc.h"
#include "base/text.h"

void mirror_release(struct mirror *m)
{
	free(m->main);
	free(m->security);
	*m = (struct mirror){0};
}

bool mirror_is_well_formed(const char *url)
{
	size_t scheme = strspn(url, "abcdefghijklmnopqrstuvwxyz+");

	return scheme > 1 && url[scheme] == ':' && url[scheme + 1] == '/' &&
	       url[strcspn(url, " \t\r\n[]\"'\\")] == '\0';
}

char *mirror_shown(const char *url)
{
	char *shown = mem_strdup(url);

	text_hide_logins(shown);
	return shown;
}

/* Cuts slashes at the end. */
static char *without_slash(const char *s, size_t n)
{
	while (n > 0 && s[n - 1] == '/')
		n--;
	return mem_strndup(s, n);
}

static void keep_first(char **to, const char *url, size_t n)
{
	if (*to == NULL)
		*to = without_slash(url, n);
}

/* Splits line at bars into exactly n parts, in place. */
static bool split(char *line, char **parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		parts[i] = line;
		char *bar = strchr(line, '|');
		if ((bar == NULL) != (i + 1 == n))
			return false;
		if (bar != NULL) {
			*bar = '\0';
			line = bar + 1;
		}
	}
	return true;
}

bool mirror_from_targets(const char *text, struct mirror *m)
{
	char *copy = mem_strdup(text);
	char *save = NULL;

	*m = (struct mirror){0};
	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		char *part[4];

		if (!split(line, part, 4) || strcmp(part[2], "main") != 0 ||
		    text_starts(part[0], "cdrom:"))
			continue;
		if (strcmp(part[3], "Debian") == 0)
			keep_first(&m->main, part[0], strlen(part[0]));
		if (strcmp(part[3], "Debian-Security") == 0)
			keep_first(&m->security, part[0], strlen(part[0]));
	}
	free(copy);
	if (m->main == NULL)
		mirror_release(m);
	return m->main != NULL;
}

static bool is_debian_release(const char *s, size_t n)
{
	static const char *const names[] = {"buster",    "bullseye", "bookworm",     "trixie",
					    "forky",     "duke",     "sid",          "stable",
					    "oldstable", "testing",  "oldoldstable", "unstable"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == n && strncmp(names[i], s, n) == 0)
			return true;
	}
	return false;
}

/* 'URL/dists/RELEASE/...' NAME SIZE */
static void read_uri_line(const char *line, struct mirror *m)
{
	if (line[0] != '\'' || text_starts(line, "'cdrom:"))
		return;
	line++;
	size_t len = strcspn(line, "'");
	const char *dists = strstr(line, "/dists/");
	if (dists == NULL || (size_t)(dists - line) >= len)
		return;
	const char *release = dists + strlen("/dists/");
	size_t n = strcspn(release, "/'");
	size_t url = (size_t)(dists - line);
	while (url > 0 && line[url - 1] == '/')
		url--;
	if (is_debian_release(release, n) && url > 7 && strncmp(line + url - 7, "/debian", 7) == 0)
		keep_first(&m->main, line, url);
	size_t tail = strlen("-security");
	if (n > tail && strncmp(release + n - tail, "-security", tail) == 0 &&
	    is_debian_release(release, n - tail))
		keep_first(&m->security, line, url);
}

bool mirror_from_uris(const char *text, struct mirror *m)
{
	char *copy = mem_strdup(text);
	char *save = NULL;

	*m = (struct mirror){0};
	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save))
		read_uri_line(line, m);
	free(copy);
	if (m->main == NULL)
		mirror_release(m);
	return m->main != NULL;
}

/* Cloud images name a file with mirrors: its first line is taken. */
static void follow_list(char **url)
{
	static const char *const prefix = "mirror+file:";
	struct buf text = BUF_INIT;

	if (*url == NULL || !text_starts(*url, prefix))
		return;
	const char *path = *url + strlen(prefix);
	while (path[0] == '/' && path[1] == '/')
		path++;
	if (fs_read(path, 65536, &text, NULL) == 0) {
		const char *line = buf_str(&text);
		line += strspn(line, " \t\r\n");
		char *found = without_slash(line, strcspn(line, " \t\r\n"));
		if (mirror_is_well_formed(found))
			mem_replace(url, found);
		else
			free(found);
	}
	buf_release(&text);
}

static int ask_apt(const volatile int *stop, struct mirror *m, struct err *err)
{
	char *const targets[] = {"env",
				 "LC_ALL=C",
				 "apt-get",
				 "indextargets",
				 "--format",
				 "$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(LABEL)",
				 "Created-By: Packages",
				 NULL};
	char *const uris[] = {"env", "LC_ALL=C", "apt-get", "update", "--print-uris", NULL};
	struct proc_result r;
	struct err why = ERR_INIT;

	int rc = proc_run(targets, 60 * NS_PER_S, stop, &r, &why);
	bool found = rc == 0 && mirror_from_targets(buf_str(&r.out), m);
	proc_result_release(&r);
	if (!found && rc != ERR_INTERRUPTED) {
		rc = proc_run(uris, 60 * NS_PER_S, stop, &r, &why);
		found = rc == 0 && mirror_from_uris(buf_str(&r.out), m);
		proc_result_release(&r);
	}
	if (found)
		return 0;
	if (rc == ERR_INTERRUPTED)
		return err_code(err, rc, "%s", why.msg);
	return err_set(err, "this machine's apt configuration names no Debian archive: "
			    "say which one to use with --mirror URL or LAMPDUEL_MIRROR");
}

int mirror_find(const char *asked, const volatile int *stop, struct mirror *m, struct err *err)
{
	const char *from = "--mirror";
	int rc = 0;

	*m = (struct mirror){0};
	if (asked == NULL) {
		asked = getenv("LAMPDUEL_MIRROR");
		from = "LAMPDUEL_MIRROR";
	}
	if (asked != NULL && asked[0] != '\0') {
		if (!mirror_is_well_formed(asked))
			return err_code(err, ERR_USAGE,
					"%s: '%s' is no archive's address (as in "
					"http://HOST/debian)",
					from, asked);
		m->main = without_slash(asked, strlen(asked));
	} else {
		rc = ask_apt(stop, m, err);
	}
	follow_list(&m->main);
	follow_list(&m->security);
	/* where an archive is mirrored, its security part mostly is beside it */
	if (rc == 0 && m->security == NULL && text_ends(m->main, "/debian"))
		m->security = mem_printf("%s-security", m->main);
	return rc;
}
