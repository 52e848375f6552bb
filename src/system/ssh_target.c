/* ssh:[user@]host[:port], and what ssh's own words mean. */
#include "system/ssh_script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void ssh_target_release(struct ssh_target *t)
{
	free(t->user);
	free(t->host);
	free(t->port);
	*t = (struct ssh_target){0};
}

/* Printable, no blanks, and no option of ssh. */
static bool is_plain(const char *s, const char *refused)
{
	for (const char *p = s; *p != '\0'; p++) {
		if (!isgraph((unsigned char)*p) || strchr(refused, *p) != NULL)
			return false;
	}
	return *s != '\0' && *s != '-';
}

static bool is_port(const char *s)
{
	int64_t port = 0;

	return text_to_i64(s, &port) && port >= 1 && port <= 65535 && isdigit((unsigned char)*s);
}

/* Splits rest (changed) into its parts; the reason when it is none. */
static const char *split(char *rest, struct ssh_target *t)
{
	char *at = strrchr(rest, '@');
	char *host = at == NULL ? rest : at + 1;
	char *port = NULL;

	if (at != NULL) {
		*at = '\0';
		if (!is_plain(rest, "'`\";&<>|(){}\\"))
			return "the user's name is none";
		t->user = mem_strdup(rest);
	}
	if (host[0] == '[') {
		char *end = strchr(++host, ']');
		if (end == NULL || (end[1] != '\0' && end[1] != ':') || strchr(host, ':') == NULL)
			return "an IPv6 address stands in brackets: ssh:[fe80::1%eth0]:22";
		port = end[1] == ':' ? end + 2 : NULL;
		*end = '\0';
	} else if (strchr(host, ':') != NULL) {
		port = strchr(host, ':');
		if (strchr(port + 1, ':') != NULL)
			return "an IPv6 address stands in brackets: ssh:[::1]";
		*port++ = '\0';
	}
	if (!is_plain(host, "'`\"$\\;&<>|(){}/[]@,"))
		return "the host's name is none";
	if (port != NULL && !is_port(port))
		return "a port is a number of 1 to 65535";
	t->host = mem_strdup(host);
	t->port = mem_strdup(port);
	return NULL;
}

int ssh_target_parse(const char *target, struct ssh_target *t, struct err *err)
{
	char *rest = text_starts(target, "ssh:") ? mem_strdup(target + 4) : mem_strdup("");
	int rc = 0;

	*t = (struct ssh_target){0};
	const char *why = split(rest, t);
	if (why != NULL) {
		char *shown = text_escaped(target);
		rc = err_code(err, ERR_USAGE,
			      "'%s' is no such target, ssh:[USER@]HOST[:PORT] is: %s", shown, why);
		free(shown);
		ssh_target_release(t);
	}
	free(rest);
	return rc;
}

/* The last line that says something. */
static char *last_line(const char *text, size_t len)
{
	struct buf b = BUF_INIT;
	size_t end = len;

	while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r' || text[end - 1] == ' '))
		end--;
	size_t start = end;
	while (start > 0 && text[start - 1] != '\n')
		start--;
	text_escape(&b, text + start, end - start > 300 ? 300 : end - start);
	return buf_detach(&b);
}

char *ssh_explain(const char *text, size_t len)
{
	static const struct {
		const char *mark, *what;
	} rows[] = {
		{"HOST IDENTIFICATION HAS CHANGED",
		 "the host's key is not the one that is known for it: find out why before you "
		 "remove the old one (ssh-keygen -R HOST)"},
		{"Host key verification failed",
		 "the host's key is not known here: log in once by hand with ssh, compare the key "
		 "and accept it"},
		{"Permission denied (",
		 "ssh cannot log in without asking for a password: give the host your key "
		 "(ssh-copy-id), or your key to the agent (ssh-add)"},
		{"Too many authentication failures",
		 "the host refused all keys that were offered: name the right one in ~/.ssh/config "
		 "(IdentityFile, IdentitiesOnly yes)"},
		{"open refused by peer",
		 "the host allows no more sessions on one connection (MaxSessions in its "
		 "sshd_config)"},
	};
	char *line = last_line(text, len);

	for (size_t i = 0; len > 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (memmem(text, len, rows[i].mark, strlen(rows[i].mark)) == NULL)
			continue;
		char *said = mem_printf("%s; ssh says: %s", rows[i].what, line);
		free(line);
		return said;
	}
	char *said = line[0] == '\0' ? mem_strdup("ssh ended without a word")
				     : mem_printf("ssh says: %s", line);
	free(line);
	return said;
}
