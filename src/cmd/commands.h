/* commands: one declaration for each file in cmd/ that is a command. */
#ifndef LAMPDUEL_CMD_COMMANDS_H
#define LAMPDUEL_CMD_COMMANDS_H

#include "cmd/cmd.h"

extern const struct command cmd_compare;
extern const struct command cmd_differences;
extern const struct command cmd_doctor;
extern const struct command cmd_init;
extern const struct command cmd_facts;
extern const struct command cmd_import;
extern const struct command cmd_list;
extern const struct command cmd_parse;
extern const struct command cmd_reference;
extern const struct command cmd_remove;
extern const struct command cmd_report;
extern const struct command cmd_rootfs;
extern const struct command cmd_run;
extern const struct command cmd_show;

#endif
