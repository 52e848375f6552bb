/*
 * Welch's t on what hyperfine measured: of each file (--export-json, two commands) whether the two
 * differ at 5 %. Usage: welch FILE...
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stats/student.h"

/* The times of one command; the caller frees them. */
static double *times_of(const json_t *root, size_t command, size_t *n)
{
	const json_t *results = json_object_get(root, "results");
	const json_t *times = json_object_get(json_array_get(results, command), "times");
	double *v;

	*n = json_array_size(times);
	v = mem_array(*n, sizeof(*v));
	for (size_t i = 0; i < *n; i++)
		v[i] = json_number_value(json_array_get(times, i));
	return v;
}

/* The two-sided p of "no difference"; NaN when there is none. */
static double p_of(const json_t *root, double *ratio)
{
	struct stats_student s;
	size_t m = 0;
	size_t n = 0;
	double *x = times_of(root, 0, &m);
	double *y = times_of(root, 1, &n);
	double p = NAN;

	if (m > 1 && n > 1 && stats_student_welch(x, m, y, n, &s)) {
		double mean = 0;
		for (size_t i = 0; i < m; i++)
			mean += x[i] / (double)m;
		*ratio = fabs(s.estimate) / mean;
		p = 2 * fmin(stats_student_less(&s, 0), stats_student_greater(&s, 0));
	}
	free(x);
	free(y);
	return p;
}

int main(int argc, char **argv)
{
	int wrong = 0;
	double worst = 0;

	for (int i = 1; i < argc; i++) {
		json_t *root = json_load_file(argv[i], 0, NULL);
		double ratio = 0;
		double p = p_of(root, &ratio);
		json_decref(root);
		if (isnan(p)) {
			(void)fprintf(stderr, "welch: %s does not hold the times of two commands\n",
				      argv[i]);
			return 1;
		}
		if (p < 0.05) {
			wrong++;
			worst = fmax(worst, ratio);
		}
	}
	(void)printf("hyperfine, the same command twice, Welch's t at 5 %%: %d of %d pairs wrong "
		     "(by up to %.1f %%)\n",
		     wrong, argc - 1, 100 * worst);
	return 0;
}
