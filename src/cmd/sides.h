/*
 * sides: what "compare" is asked to compare, brought into one experiment in
 * memory (of kind "import": not measured in pairs), one system for each side. A
 * side is stored experiments (sessions) or a file of pasted output.
 */
#ifndef LAMPDUEL_CMD_SIDES_H
#define LAMPDUEL_CMD_SIDES_H

#include "cmd/cmd.h"
#include "compare/compare.h"

/* "exp:3", "exp:3,5,8/soft", "file:out.txt#Hard float", or a bare word that is one of them. */
struct side_name {
	bool is_file;
	VEC(int64_t) ids; /* experiments */
	char *path;       /* file */
	char *part;       /* system or label; NULL: not named */
	char *text;       /* as typed */
};

int side_name_parse(const char *text, struct side_name *out, struct err *err);
void side_name_release(struct side_name *n);

struct sides {
	struct experiment e;
	VEC(int) session; /* of each execution */
};

void sides_init(struct sides *s, const char *command_line);
void sides_release(struct sides *s);
/* Adds the system that the name means; an error lists the choices when it means more than one. */
int sides_add(struct sides *s, struct store *store, const struct side_name *n, struct err *err);
/* Adds every label of the file, or every run when there are no labels, as a system of its own. */
int sides_add_labels(struct sides *s, const struct side_name *n, struct err *err);
/* To be called when all are added: what is the same work becomes one metric. */
void sides_finish(struct sides *s);
/* The first system against each other one. */
int sides_compare(const struct sides *s, const struct compare_options *o,
		  struct comparison_set *out, struct err *err);

/* Of an experiment keeps two systems, the first as baseline. False when one is not there. */
bool experiment_keep(struct experiment *e, const char *baseline, const char *candidate);

#endif
