#include "cmd/commands.h"

/* In the order in which --help lists them. */
const struct command *const command_table[] = {
	/* clang-format off */
	&cmd_reference,
	&cmd_run,
	&cmd_compare,
	&cmd_report,
	&cmd_list,
	&cmd_show,
	&cmd_remove,
	&cmd_rootfs,
	&cmd_facts,
	&cmd_differences,
	&cmd_doctor,
	&cmd_init,
	&cmd_parse,
	&cmd_import,
	NULL,
	/* clang-format on */
};
