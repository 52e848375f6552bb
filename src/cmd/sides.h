/*
 * sides: what "compare" is asked to compare, brought into one experiment in
 * memory (of kind "import": not measured in pairs), one system for each side. A
 * side is stored experiments (sessions) or a file of pasted output.
 */
#ifndef LAMPDUEL_CMD_SIDES_H
#define LAMPDUEL_CMD_SIDES_H

#include "cmd/cmd.h"
#include "compare/compare.h"

/*
 * "exp:3", "exp:3,5,8/soft", "file:out.txt#Hard float", or a bare word that is one of them. A file
 * is pasted output or lampduel's JSON.
 */
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
	VEC(int) session;      /* of each execution */
	struct strvec sources; /* of each system: where it comes from */
	/* of the side that was begun last: */
	int sessions, last_round;
	struct strvec seen; /* what its sessions are, so that none counts twice */
};

void sides_init(struct sides *s, const char *command_line);
void sides_release(struct sides *s);
/*
 * Adds a side: the system that each of the n names means, every experiment or file a session of
 * its own. An error lists the choices when a name means more than one, and names what does not
 * belong together: the same session twice, an emulated one among others.
 */
int sides_add(struct sides *s, struct store *store, const struct side_name *n, size_t count,
	      struct err *err);
/* More than these nobody reads, and each is compared in every metric. */
enum { SIDES_MAX = 64 };
/* Adds every system of e, read from a file of that name, as a side of its own: SIDES_MAX at most.
 */
int sides_add_every(struct sides *s, const struct experiment *e, const char *file, struct err *err);
/* To be called when all are added: what is the same work becomes one metric. */
void sides_finish(struct sides *s);
/* The first system against each other one. */
int sides_compare(const struct sides *s, const struct compare_options *o,
		  struct comparison_set *out, struct err *err);

/* Of an experiment keeps two systems, the first as baseline. False when one is not there. */
bool experiment_keep(struct experiment *e, const char *baseline, const char *candidate);

#endif
