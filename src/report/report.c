#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const struct report_format *const formats[] = {
	&report_text, &report_markdown, &report_html, &report_json, &report_csv,
};

size_t report_format_count(void)
{
	return sizeof(formats) / sizeof(formats[0]);
}

const struct report_format *report_format_at(size_t i)
{
	return formats[i];
}

/* Is the file's suffix one of the format's? */
static bool has_suffix(const struct report_format *f, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *point = strrchr(slash != NULL ? slash : file, '.');
	bool found = false;

	if (point != NULL && point[1] != '\0') {
		char *suffix = mem_printf("%s.", point);
		found = strcasestr(f->suffixes, suffix) != NULL;
		free(suffix);
	}
	return found;
}

const struct report_format *report_format_for(const char *name, const char *file, struct err *err)
{
	struct buf names = BUF_INIT;

	for (size_t i = 0; name == NULL && i < report_format_count(); i++) {
		if (file != NULL && has_suffix(formats[i], file))
			return formats[i];
	}
	for (size_t i = 0; i < report_format_count(); i++) {
		if (text_equal(formats[i]->name, name == NULL ? "text" : name)) {
			buf_release(&names);
			return formats[i];
		}
		buf_addf(&names, "%s%s", i == 0 ? "" : ", ", formats[i]->name);
	}
	char *shown = text_escaped(name);
	(void)err_code(err, ERR_USAGE, "no report format \"%s\"; there are: %s", shown,
		       buf_str(&names));
	free(shown);
	buf_release(&names);
	return NULL;
}
