#include "report/private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static bool ends_word(char c)
{
	return c == '\0' || strchr("/ \t\n\"'\\:;,)]>", c) != NULL;
}

static bool begins_word(const char *text, const char *p)
{
	return p == text || strchr(" \t\n\"'=:,;([<>|&", p[-1]) != NULL;
}

static bool is_one_of(const char *s, size_t len, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strlen(words[i]) == len && strncasecmp(s, words[i], len) == 0)
			return true;
	}
	return false;
}

bool private_is_anybodys(const char *value, size_t len)
{
	static const char *const words[] = {
		"localhost",       "127.0.0.1", "0.0.0.0",  "::",    "*",
		"no value",        "root",      "www-data", "mysql", "AUTO",
		"my_wsrep_cluster"};

	return is_one_of(value, len, words, sizeof(words) / sizeof(words[0]));
}

/* "/home/NAME" */
static size_t home_at(const char *p, const char **with)
{
	static const char home[] = "/home/";
	size_t n = strlen(home);

	if (!text_starts(p, home))
		return 0;
	while (!ends_word(p[n]))
		n++;
	*with = "/home/...";
	return n > strlen(home) ? n : 0;
}

/* The host of "scheme://[login@]host". */
static size_t url_at(const char *p, const char **with)
{
	size_t n = 3;

	if (!text_starts(p, "://") || text_starts(p + 3, "localhost") || text_starts(p + 3, "127."))
		return 0;
	bool ipv6 = p[n] == '[';
	while (p[n] != '\0' && strchr("/ \t\n\"'\\;,)>", p[n]) == NULL &&
	       (!ends_word(p[n]) || p[n] == ':' || (ipv6 && p[n] == ']')))
		n++;
	*with = "://...";
	return n > 3 ? n : 0;
}

/* What a command line says of this one machine or its user: "root=UUID=...", "--user=jane" */
static size_t named_at(const char *p, const char **with)
{
	static const struct {
		const char *key, *with;
	} keys[] = {
		{"UUID=", "UUID=..."},         {"PARTUUID=", "PARTUUID=..."},
		{"LABEL=", "LABEL=..."},       {"serial=", "serial=..."},
		{"hostname=", "hostname=..."}, {"macaddr=", "macaddr=..."},
		{"--user=", "--user=..."},     {"--username=", "--username=..."},
		{"--login=", "--login=..."},   {"--password=", "--password=..."},
		{"--host=", "--host=..."},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t n = strlen(keys[i].key), value = n;

		if (!text_starts(p, keys[i].key))
			continue;
		while (p[n] != '\0' && strchr(" \t\n\"',;", p[n]) == NULL)
			n++;
		*with = keys[i].with;
		return n > value && !private_is_anybodys(p + value, n - value) ? n : 0;
	}
	return 0;
}

/* Groups of hexadecimal digits, of the lengths given, with a separator between them. */
static size_t hex_groups(const char *p, const size_t *lengths, size_t groups, const char *between)
{
	size_t n = 0;

	for (size_t g = 0; g < groups; g++) {
		if (g > 0 && (p[n] == '\0' || strchr(between, p[n++]) == NULL))
			return 0;
		for (size_t i = 0; i < lengths[g]; i++) {
			if (!isxdigit((unsigned char)p[n]))
				return 0;
			n++;
		}
	}
	return ends_word(p[n]) ? n : 0;
}

static size_t hardware_at(const char *p, const char **with)
{
	static const size_t mac[] = {2, 2, 2, 2, 2, 2}, uuid[] = {8, 4, 4, 4, 12};
	size_t n = hex_groups(p, mac, sizeof(mac) / sizeof(mac[0]), ":-");

	if (n == 0)
		n = hex_groups(p, uuid, sizeof(uuid) / sizeof(uuid[0]), "-");
	*with = "...";
	return strspn(p, "0-:") >= n ? 0 : n; /* all zeros name nothing */
}

static size_t host_length(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '-' || p[n] == '.')
		n++;
	while (n > 0 && p[n - 1] == '.') /* of the sentence */
		n--;
	return n;
}

/* "user@host": a login or a mail address. */
static size_t login_at(const char *p, const char **with)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || (p[n] != '\0' && strchr("._%+-", p[n]) != NULL))
		n++;
	if (n == 0 || p[n] != '@')
		return 0;
	size_t host = host_length(p + n + 1);
	*with = "...@...";
	return host > 0 ? n + 1 + host : 0;
}

/* Loopback and "any" tell nothing. */
static size_t ipv4_at(const char *p, const char **with)
{
	const char *s = p;

	for (int part = 0; part < 4; part++) {
		char *end = NULL;

		if (part > 0 && *s++ != '.')
			return 0;
		if (!isdigit((unsigned char)*s) || strtoul(s, &end, 10) > 255)
			return 0;
		s = end;
	}
	*with = "...";
	bool public = text_starts(p, "127.") || text_starts(p, "0.0.0.0") || text_starts(p, "255.");
	return ends_word(*s) && !public ? (size_t)(s - p) : 0;
}

/* "db.example.com", "pi.lan"; not "out.json" or "a.tar.gz". */
static size_t host_at(const char *p, const char **with)
{
	static const char *const tops[] = {
		"com", "org", "net",   "edu", "gov",  "info", "io",       "dev",  "de",    "uk",
		"fr",  "eu",  "local", "lan", "home", "arpa", "internal", "corp", "intern"};
	static const char *const suffixes[] = {"json", "jsonl", "html", "csv",  "txt", "md",  "db",
					       "php",  "ini",   "cnf",  "conf", "so",  "sql", "sh",
					       "py",   "pl",    "log",  "gz",   "xz",  "deb", "svg",
					       "js",   "bin",   "tmp",  "lua",  "zst"};
	size_t n = host_length(p), points = 0, last = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i] == '.') {
			points++;
			last = i + 1;
		}
	}
	if (points == 0 || !ends_word(p[n] == '.' ? ' ' : p[n]) || n - last < 2)
		return 0;
	for (size_t i = last; i < n; i++) {
		if (!isalpha((unsigned char)p[i]))
			return 0;
	}
	*with = "...";
	if (points == 1)
		return is_one_of(p + last, n - last, tops, sizeof(tops) / sizeof(tops[0])) ? n : 0;
	return is_one_of(p + last, n - last, suffixes, sizeof(suffixes) / sizeof(suffixes[0])) ? 0
											       : n;
}

/* Folders that every system has. */
static bool is_public_folder(const char *p)
{
	static const char *const folders[] = {"/usr/",  "/bin/",  "/sbin/", "/lib",   "/etc/",
					      "/opt/",  "/proc/", "/sys/",  "/dev/",  "/run/",
					      "/boot/", "/tmp/",  "/var/",  "/build/"};

	if (text_starts(p, "/var/www/"))
		return false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (text_starts(p, folders[i]))
			return true;
	}
	return false;
}

/* The page of a site is no folder of the machine. */
static bool is_page(const char *text, const char *p)
{
	static const char *const keys[] = {"path=", "path\":\"", "path\": \"", "page="};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size_t n = strlen(keys[i]);
		if ((size_t)(p - text) >= n && strncmp(p - n, keys[i], n) == 0)
			return true;
	}
	return false;
}

/* "/srv/name" of "/srv/name/program". */
static size_t folder_at(const char *text, const char *p, const char **with)
{
	size_t n = 0, last = 0;

	if (*p != '/' || is_public_folder(p) || is_page(text, p))
		return 0;
	while (p[n] == '/' || !ends_word(p[n])) {
		if (p[n] == '/' && p[n + 1] != '/' && !ends_word(p[n + 1]))
			last = n;
		n++;
	}
	*with = "...";
	return last;
}

size_t private_at(const char *text, const char *p, unsigned kinds, const char **with)
{
	size_t n = home_at(p, with);

	if (n == 0)
		n = url_at(p, with);
	if (n == 0)
		n = named_at(p, with);
	if (n > 0 || !begins_word(text, p))
		return n;
	n = hardware_at(p, with);
	if (n == 0)
		n = login_at(p, with);
	if (n == 0 && (kinds & PRIVATE_ADDRESS) != 0)
		n = ipv4_at(p, with);
	if (n == 0 && (kinds & PRIVATE_HOST) != 0)
		n = host_at(p, with);
	if (n == 0 && (kinds & PRIVATE_FOLDER) != 0)
		n = folder_at(text, p, with);
	return n;
}
