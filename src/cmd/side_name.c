#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/text.h"
#include "cmd/pick.h"
#include "cmd/sides.h"

static int parse_ids(const char *text, struct side_name *out, struct err *err)
{
	const char *slash = strchr(text, '/');
	char *ids = slash != NULL ? mem_strndup(text, (size_t)(slash - text)) : mem_strdup(text);
	char *save = NULL;
	int rc = 0;

	if (slash != NULL)
		out->part = mem_strdup(slash + 1);
	for (char *id = strtok_r(ids, ",", &save); id != NULL && rc == 0;
	     id = strtok_r(NULL, ",", &save)) {
		int64_t n = 0;
		rc = pick_id(id, &n, err);
		vec_push(&out->ids, n);
	}
	if (rc == 0 && out->ids.n == 0)
		rc = pick_id("", &(int64_t){0}, err);
	free(ids);
	return rc;
}

static bool is_standard_input(const char *text)
{
	return text[0] == '-' && (text[1] == '\0' || text[1] == '#');
}

static void parse_file(const char *text, struct side_name *out)
{
	const char *hash = strrchr(text, '#');

	out->is_file = true;
	/* a file may have the character in its name */
	if (hash == NULL || fs_exists(text)) {
		out->path = mem_strdup(text);
		return;
	}
	out->path = mem_strndup(text, (size_t)(hash - text));
	out->part = mem_strdup(hash + 1);
}

static bool starts_like_ids(const char *text)
{
	size_t digits = strspn(text, "0123456789,");

	return digits > 0 && (text[digits] == '\0' || text[digits] == '/');
}

int side_name_parse(const char *text, struct side_name *out, struct err *err)
{
	*out = (struct side_name){.text = mem_strdup(text)};
	if (text_starts(text, "file:")) {
		parse_file(text + strlen("file:"), out);
		return 0;
	}
	if (text_starts(text, "exp:"))
		return parse_ids(text + strlen("exp:"), out, err);
	if (is_standard_input(text)) {
		parse_file(text, out);
		return 0;
	}

	bool id = starts_like_ids(text);
	parse_file(text, out);
	bool file = fs_exists(out->path);
	if (file && !id)
		return 0;
	char *shown = text_escaped(text);
	int rc = 0;
	if (file)
		rc = err_code(err, ERR_USAGE,
			      "\"%s\" is a file and may be an experiment: write file:%s or exp:%s",
			      shown, shown, shown);
	else if (!id)
		rc = err_code(err, ERR_USAGE,
			      "there is no file \"%s\", and it is no number of an experiment; "
			      "lampduel list shows those",
			      shown);
	free(shown);
	if (rc != 0)
		return rc;
	side_name_release(out);
	*out = (struct side_name){.text = mem_strdup(text)};
	return parse_ids(text, out, err);
}

void side_name_release(struct side_name *n)
{
	vec_release(&n->ids);
	free(n->path);
	free(n->part);
	free(n->text);
	*n = (struct side_name){.is_file = false};
}
