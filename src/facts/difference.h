/*
 * difference: in which facts two systems differ, what is most likely to matter
 * first, and what would make them as alike as can be. Pure. The order is one of
 * experience: what the programs were made for and run on, then their versions,
 * then settings known to cost time, then the rest.
 */
#ifndef LAMPDUEL_FACTS_DIFFERENCE_H
#define LAMPDUEL_FACTS_DIFFERENCE_H

#include <stddef.h>

#include "base/vec.h"
#include "facts/fact.h"

/* What the facts below one prefix have in common. */
struct fact_class {
	const char *prefix;
	const char *group;  /* "PHP settings"; NULL: differs as it likes, not compared */
	int suspicion;      /* the higher the more likely to matter */
	const char *advice; /* how to make it alike; NULL: nothing can or need be done */
};

const struct fact_class *fact_class_of(const char *key); /* never NULL */

struct difference {
	char *key;
	const struct fact_class *kind;
	char *a, *b; /* values; "" when there is none on that side */
	int suspicion;
};

struct difference_group {
	const char *group;
	size_t equal, differ;
};

struct differences {
	VEC(struct difference) rows;         /* most suspect first */
	VEC(struct difference_group) groups; /* in the order the facts came */
	VEC(const char *) advice;            /* each once, for the most suspect first */
};

void differences_make(const struct factset *a, const struct factset *b, struct differences *out);
void differences_release(struct differences *d);
/* Of two lists of words, what each has alone: "only here: x y"; new string, "" when nothing. */
char *differences_words(const char *mine, const char *other);
/* A value beside another as a table has room for it: of long lists what it has alone. New string.
 */
char *differences_shown(const char *mine, const char *other);

#endif
