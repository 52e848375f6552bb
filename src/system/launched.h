/*
 * launched: the part that all systems reached through a launcher on this
 * machine share: the functions of their tables, the environment of what runs in
 * them, and how a program's name becomes a path inside.
 *
 * s->impl points to a struct that begins with a struct launched.
 */
#ifndef LAMPDUEL_SYSTEM_LAUNCHED_H
#define LAMPDUEL_SYSTEM_LAUNCHED_H

#include "system/launch.h"
#include "system/system.h"

#define LAUNCHED_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct launched {
	struct launch *launch;
	char *root;             /* folder of this machine in which programs are looked up; "": / */
	char *run_dir_host;     /* the run folder as this machine sees it */
	char *search_path;      /* inside, "/usr/bin:/bin" */
	struct strvec env;      /* the small fixed environment */
	struct strvec emulator; /* {"/run/lampduel-bin/qemu", "-cpu", "cortex-a7"}; empty: native */
	char how[64];           /* of the last launched_alive() */
	enum placement placement;
};

/*
 * Fills everything but launch: HOME and the working folder are s->run_dir_inside (set before),
 * tmp is TMPDIR. The launch comes from the kind; then call launched_begin().
 */
void launched_init(struct launched *d, const struct system *s, const struct system_options *o,
		   const char *root, const char *search_path, const char *tmp);
/* Sets the placement texts and PLACE_ALL. */
int launched_begin(struct system *s, struct err *err);
/* Ends every process, empties the run folder, frees what d owns (not d). */
void launched_release(struct launched *d);

int launched_exec(struct system *s, const struct step *step, const struct exec_request *q,
		  struct outcome *out, struct err *err);
int launched_spawn(struct system *s, const struct step *step, const struct exec_request *q,
		   const char *log, int *id, struct err *err);
bool launched_alive(struct system *s, int id, const char **how);
int launched_stop(struct system *s, const struct step *step, int id, int64_t grace_ns,
		  struct err *err);
int launched_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
		   struct outcome *out, struct err *err);
int launched_put(struct system *s, const struct step *step, const char *path, const void *data,
		 size_t len, struct err *err);
int launched_get(struct system *s, const struct step *step, const char *path, size_t max,
		 struct buf *out, struct err *err);
/* Read from this machine's side: only what this user may read. */
int launched_get_part(struct system *s, const struct step *step, const char *path, uint64_t at,
		      size_t size, struct buf *out, struct err *err);
int launched_observe(struct system *s, const struct step *step, struct buf *out, struct err *err);
int launched_place(struct system *s, enum placement p, struct err *err);
int launched_free_port(struct system *s, const struct step *step, int *port, struct err *err);

/* All table entries but open, check and close. */
#define LAUNCHED_FUNCTIONS                                                                         \
	.exec = launched_exec, .spawn = launched_spawn, .alive = launched_alive,                   \
	.stop = launched_stop, .fetch = launched_fetch, .put = launched_put, .get = launched_get,  \
	.get_part = launched_get_part, .observe = launched_observe, .place = launched_place,       \
	.free_port = launched_free_port

#endif
