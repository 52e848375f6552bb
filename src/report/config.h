/*
 * config: the table of configurations: the rows of the reference, in its order. Pure.
 */
#ifndef LAMPDUEL_REPORT_CONFIG_H
#define LAMPDUEL_REPORT_CONFIG_H

#include "store/experiment.h"

struct config_row {
	const char *label; /* "Apache" */
	const char *key;   /* of the fact behind it; NULL: none */
	/* For one system a new, escaped string; "" when it is not known. */
	char *(*value)(const struct exp_system *s, const char *key);
};

/* Ended by one without a label. */
extern const struct config_row config_rows[];
/* A setting of a program as a reader knows it, "MariaDB key_buffer_size", from a fact's key behind
 * its first word, "mariadb.key_buffer_size"; new, escaped string. */
char *config_setting(const char *rest);

#endif
