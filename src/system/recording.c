#include "system/recording.h"

#include <stdlib.h>

#include "base/mem.h"

static const char *const action_names[RECORDED_ACTIONS] = {
	[RECORDED_EXEC] = "exec",           [RECORDED_SPAWN] = "spawn", [RECORDED_ALIVE] = "alive",
	[RECORDED_STOP] = "stop",           [RECORDED_FETCH] = "fetch", [RECORDED_PUT] = "put",
	[RECORDED_OBSERVE] = "observe",     [RECORDED_GET] = "get",     [RECORDED_PLACE] = "place",
	[RECORDED_FREE_PORT] = "free_port",
};

const char *recorded_action_name(enum recorded_action a)
{
	return action_names[a];
}

struct recording *recording_new(const struct clock *c, const char *command)
{
	struct recording *r = mem_alloc(sizeof(*r));

	(void)pthread_mutex_init(&r->lock, NULL);
	r->made_by = mem_strdup("lampduel " LAMPDUEL_VERSION);
	r->command = mem_strdup(command);
	r->start_ns = clock_now_ns(c);
	r->unix_ns = clock_unix_ns(c) - r->start_ns;
	return r;
}

static void free_system(struct recorded_system *s)
{
	for (size_t i = 0; i < s->calls.n; i++) {
		free(s->calls.v[i].step);
		free(s->calls.v[i].text);
		outcome_release(&s->calls.v[i].outcome);
	}
	vec_release(&s->calls);
	for (size_t i = 0; i < 2; i++)
		free(s->placement_text[i]);
	for (size_t i = 0; i < SYSTEM_SHARES_MAX; i++) {
		free(s->share_asked[i]);
		free(s->share_inside[i]);
	}
	factset_release(&s->facts);
	free(s->name);
	free(s->target);
	free(s->run_dir_inside);
	free(s->arch);
	free(s->emulator);
	free(s->emulated_cpu);
	free(s);
}

void recording_free(struct recording *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->systems.n; i++)
		free_system(r->systems.v[i]);
	vec_release(&r->systems);
	bytes_pool_release(&r->bytes);
	(void)pthread_mutex_destroy(&r->lock);
	free(r->made_by);
	free(r->command);
	free(r);
}
