/*
 * rng: every random choice. One 64-bit seed is stored with the result; a stream
 * is drawn from (seed, stream number) alone, so that a resumed run makes the
 * same choices without replaying the earlier ones. Numbers come from GSL's
 * Mersenne Twister.
 */
#ifndef LAMPDUEL_BASE_RNG_H
#define LAMPDUEL_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng;

struct rng *rng_new(uint64_t seed, uint64_t stream); /* free with rng_free() */
void rng_free(struct rng *r);
size_t rng_below(struct rng *r, size_t n);            /* uniform on 0..n-1; n >= 1 */
double rng_uniform(struct rng *r);                    /* uniform on (0, 1) */
double rng_normal(struct rng *r);                     /* standard normal */
void rng_shuffle(struct rng *r, size_t *v, size_t n); /* every order equally likely */
uint64_t rng_fresh_seed(void); /* from the kernel, below 2^53 so that JSON keeps it */

#endif
