#include "base/rng.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"
#include "base/mem.h"

struct rng {
	gsl_rng *gsl;
};

/* Spreads (seed, stream) over 64 bits: MurmurHash3's finalizer (Appleby, 2011). */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	x ^= x >> 33;
	return x;
}

struct rng *rng_new(uint64_t seed, uint64_t stream)
{
	struct rng *r = mem_alloc(sizeof(*r));

	r->gsl = gsl_rng_alloc(gsl_rng_mt19937);
	if (r->gsl == NULL)
		mem_exhausted();
	/* gsl takes 32 bits of seed for this generator */
	gsl_rng_set(r->gsl, (unsigned long)(mix(seed ^ mix(stream + 1)) >> 32));
	return r;
}

void rng_free(struct rng *r)
{
	if (r == NULL)
		return;
	gsl_rng_free(r->gsl);
	free(r);
}

size_t rng_below(struct rng *r, size_t n)
{
	return (size_t)gsl_rng_uniform_int(r->gsl, (unsigned long)n);
}

double rng_uniform(struct rng *r)
{
	return gsl_rng_uniform_pos(r->gsl);
}

double rng_normal(struct rng *r)
{
	return gsl_ran_gaussian_ziggurat(r->gsl, 1.0);
}

void rng_shuffle(struct rng *r, size_t *v, size_t n)
{
	if (n > 1)
		gsl_ran_shuffle(r->gsl, v, n, sizeof(*v));
}

uint64_t rng_fresh_seed(void)
{
	uint64_t seed = 0;

	if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
		seed = mix((uint64_t)clock_mono_ns());
	return seed >> 11;
}
