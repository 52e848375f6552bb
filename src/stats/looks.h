/*
 * looks: testing while the run goes on. A run has a largest number of rounds,
 * which fixes the rounds after which its values may be looked at; the chance of
 * a wrong verdict is spent over the looks, little at first, so that all of them
 * together stay below the level.
 *
 * Spending: alpha(t) = 2 - 2 Phi(z(1 - alpha/2) / sqrt(t)), of O'Brien-Fleming type (O'Brien and
 * Fleming, Biometrics 35, 1979; Lan and DeMets, Biometrika 70, 1983), t = rounds / largest number;
 * one-sided: each direction spends its own. The last look spends what is left.
 *
 * Levels are attainable ones: the signed-rank statistic is discrete, so at each
 * look the largest rank sum c is taken for which
 *     spent before + P(W <= c) - P(W <= c and W' <= c') <= alpha(t),
 * W', c' being those of the latest look before that could reject. The bracketed
 * difference bounds the chance of rejecting here for the first time from above
 * (it forgets only earlier looks than that one), so the sum stays within alpha.
 * The joint probability is exact up to STATS_LOOKS_EXACT rounds (random signs,
 * every order of the sizes equally likely); beyond, a bivariate normal with the
 * exact margins and the exact correlation.
 */
#ifndef LAMPDUEL_STATS_LOOKS_H
#define LAMPDUEL_STATS_LOOKS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	STATS_LOOKS_MAX = 5,
	STATS_LOOKS_FIRST = 6,  /* no look before this many rounds */
	STATS_LOOKS_EXACT = 30, /* rounds up to which joint probabilities are exact */
	STATS_LOOKS_SCALE_MAX = 64,
};

#define STATS_LOOKS_ALPHA 0.025 /* one-sided; a look that cannot reject at it is left out */

struct stats_looks {
	int n_max;               /* the largest number of rounds; what t refers to */
	size_t n;                /* looks; at least 1 */
	int at[STATS_LOOKS_MAX]; /* rounds at each, rising; the last one spends all */
};

/* Looks at about 8, 9, 11, 13 and 15 fifteenths of n_max (n_max >= 1), those that can reject. */
void stats_looks_plan(int n_max, struct stats_looks *out);
/*
 * The same plan ended after `rounds` by something else than the values (a time limit): the looks
 * before it stay, it is the last one.
 */
void stats_looks_end(const struct stats_looks *plan, int rounds, struct stats_looks *out);

/*
 * level[k]: the one-sided p-value at look k up to which the hypothesis may be rejected when alpha
 * (one-sided) is the chance over all looks; 0 where none is attainable.
 */
void stats_looks_levels(const struct stats_looks *looks, double alpha, double *level);

/*
 * Turns p-values found at one look into p-values of the whole sequence, for use with Holm's
 * adjustment of up to `family` tests at alpha (one-sided): overall * j <= alpha says that the test
 * at level alpha / j rejects, for each j. Nested in alpha, as Holm's procedure needs.
 */
struct stats_looks_scale {
	size_t n;
	bool plain;                          /* one look only: nothing to change */
	double alpha[STATS_LOOKS_SCALE_MAX]; /* falling */
	double level[STATS_LOOKS_SCALE_MAX]; /* what p may be at that alpha */
};

void stats_looks_scale(const struct stats_looks *looks, size_t look, double alpha, size_t family,
		       struct stats_looks_scale *out);
/* p: one-sided. At least alpha when the test rejects at no level of the scale. */
double stats_looks_overall(const struct stats_looks_scale *scale, double p);

#endif
