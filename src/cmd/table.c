#include "cmd/commands.h"

/* In the order in which --help lists them. */
const struct command *const command_table[] = {
	&cmd_parse,
	NULL,
};
