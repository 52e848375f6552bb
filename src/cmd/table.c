#include "cmd/commands.h"

/* In the order in which --help lists them. */
const struct command *const command_table[] = {
	&cmd_report, &cmd_parse, &cmd_list, &cmd_show, &cmd_remove, &cmd_rootfs, &cmd_doctor, NULL,
};
