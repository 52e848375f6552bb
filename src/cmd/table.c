#include "cmd/commands.h"

/* In the order in which --help lists them. */
const struct command *const command_table[] = {
	&cmd_parse,
	&cmd_rootfs,
	&cmd_doctor,
	NULL,
};
