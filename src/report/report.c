#include "report/report.h"

#include "base/text.h"

static const struct report_format *const formats[] = {
	&report_text,
};

size_t report_format_count(void)
{
	return sizeof(formats) / sizeof(formats[0]);
}

const struct report_format *report_format_at(size_t i)
{
	return formats[i];
}

const struct report_format *report_format_named(const char *name, struct err *err)
{
	struct buf names = BUF_INIT;

	for (size_t i = 0; i < report_format_count(); i++) {
		if (text_equal(formats[i]->name, name)) {
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
