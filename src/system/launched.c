#include "system/launched.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/text.h"
#include "system/fetch.h"
#include "system/observe.h"
#include "system/placement.h"

void launched_init(struct launched *d, const struct system *s, const struct system_options *o,
		   const char *root, const char *search_path, const char *tmp)
{
	d->root = mem_strdup(root);
	d->run_dir_host = mem_strdup(o->run_dir);
	d->search_path = mem_strdup(search_path);
	strvec_pushf(&d->env, "PATH=%s", search_path);
	strvec_pushf(&d->env, "HOME=%s", s->run_dir_inside);
	strvec_pushf(&d->env, "TMPDIR=%s", tmp);
	strvec_push(&d->env, "LC_ALL=C");
	strvec_push(&d->env, "TZ=UTC0");
	strvec_pushf(&d->env, "LAMPDUEL_RUN=%s", o->run_id);
}

int launched_begin(struct system *s, struct err *err)
{
	for (int p = 0; p < 2; p++)
		s->placement_text[p] = placement_text((enum placement)p);
	return launched_place(s, PLACE_ALL, err);
}

static void empty_folder(const char *dir)
{
	struct strvec names = STRVEC_INIT;

	if (fs_list(dir, &names, NULL) == 0) {
		for (size_t i = 0; i < names.n; i++) {
			char *path = fs_join(dir, names.v[i]);

			(void)fs_remove_tree(path, NULL);
			free(path);
		}
	}
	strvec_release(&names);
}

void launched_release(struct launched *d)
{
	launch_close(d->launch);
	d->launch = NULL;
	if (d->run_dir_host != NULL)
		empty_folder(d->run_dir_host);
	free(d->root);
	free(d->run_dir_host);
	free(d->search_path);
	strvec_release(&d->env);
	strvec_release(&d->emulator);
}

/* The file of this machine behind a path inside, when it is a program; NULL: it is none. */
static char *program_file(const struct launched *d, const char *path)
{
	struct stat st;
	char *file = fs_resolve_in_root(d->root, path);

	if (file != NULL &&
	    (stat(file, &st) != 0 || !S_ISREG(st.st_mode) || (st.st_mode & 0111) == 0))
		mem_replace(&file, NULL);
	return file;
}

/* argv[0] to a path inside; NULL and the reason when there is none. */
static char *find_program(const struct launched *d, const char *name, char **reason)
{
	char *shown = text_escaped(name);
	char *found = NULL;

	if (name[0] == '/') {
		found = mem_strdup(name); /* whether it is there, the launcher says */
	} else if (name[0] == '\0' || strchr(name, '/') != NULL) {
		*reason = mem_printf("cannot run %s: give its full path, or its name alone", shown);
	} else {
		char *all = mem_strdup(d->search_path);
		char *save = NULL;

		for (char *dir = strtok_r(all, ":", &save); dir != NULL && found == NULL;
		     dir = strtok_r(NULL, ":", &save)) {
			found = fs_join(dir, name);
			char *file = dir[0] == '/' ? program_file(d, found) : NULL;
			if (file == NULL)
				mem_replace(&found, NULL);
			free(file);
		}
		free(all);
		if (found == NULL)
			*reason = mem_printf("cannot run %s: no such program in this installation",
					     shown);
	}
	free(shown);
	return found;
}

/* The words of a script's first line, at most two; none when it is no script. */
static void script_words(const char *file, struct strvec *words)
{
	char line[256];
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);

	if (fd >= 0)
		(void)close(fd);
	if (n < 3 || line[0] != '#' || line[1] != '!')
		return;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	char *p = text_trim(line + 2);
	size_t first = strcspn(p, " \t");
	char *interpreter = mem_strndup(p, first);
	strvec_push(words, interpreter);
	free(interpreter);
	p += first;
	p += strspn(p, " \t");
	if (p[0] != '\0')
		strvec_push(words, p);
}

/*
 * The emulator takes the kernel's place: it is given the file itself, so links and a script's first
 * line are resolved here.
 */
static void emulated_argv(const struct launched *d, const char *path, const struct strvec *asked,
			  struct strvec *argv)
{
	struct strvec words = STRVEC_INIT;
	char *file = fs_resolve_in_root(d->root, path);
	const char *program = file == NULL ? path : file + strlen(d->root);
	const char *name = asked->v[0];

	strvec_push_all(argv, d->emulator.v);
	if (file != NULL)
		script_words(file, &words);
	if (words.n > 0) {
		char *real = fs_resolve_in_root(d->root, words.v[0]);

		strvec_push(argv, "-0");
		strvec_push(argv, words.v[0]);
		strvec_push(argv, real == NULL ? words.v[0] : real + strlen(d->root));
		if (words.n > 1)
			strvec_push(argv, words.v[1]);
		strvec_push(argv, path);
		free(real);
	} else {
		strvec_push(argv, "-0");
		strvec_push(argv, name);
		strvec_push(argv, program);
	}
	strvec_push_all(argv, asked->v + 1);
	strvec_release(&words);
	free(file);
}

/* The fixed environment with the request's variables in place of those of the same name. */
static void merge_env(const struct strvec *fixed, const struct strvec *more, struct strvec *env)
{
	for (size_t i = 0; i < fixed->n; i++) {
		size_t name = strcspn(fixed->v[i], "=") + 1;
		bool replaced = false;

		for (size_t j = 0; more != NULL && j < more->n; j++)
			replaced |= strncmp(more->v[j], fixed->v[i], name) == 0;
		if (!replaced)
			strvec_push(env, fixed->v[i]);
	}
	for (size_t j = 0; more != NULL && j < more->n; j++)
		strvec_push(env, more->v[j]);
}

struct prepared {
	char *path;
	struct strvec argv, env;
};

static bool prepare(const struct launched *d, const struct exec_request *q, struct prepared *p,
		    char **reason)
{
	*p = (struct prepared){0};
	if (q->argv == NULL || q->argv->n == 0) {
		*reason = mem_strdup("no program was given");
		return false;
	}
	char *path = find_program(d, q->argv->v[0], reason);
	if (path == NULL)
		return false;
	if (d->emulator.n > 0) {
		char *file = fs_resolve_in_root(d->root, path);
		bool missing = file == NULL;

		free(file);
		if (missing) {
			char *shown = text_escaped(path);
			*reason = mem_printf("cannot run %s: no such program in this installation",
					     shown);
			free(shown);
			free(path);
			return false;
		}
		emulated_argv(d, path, q->argv, &p->argv);
		mem_replace(&path, mem_strdup(d->emulator.v[0]));
	} else {
		strvec_push_all(&p->argv, q->argv->v);
	}
	p->path = path;
	merge_env(&d->env, q->env, &p->env);
	return true;
}

static void prepared_release(struct prepared *p)
{
	free(p->path);
	strvec_release(&p->argv);
	strvec_release(&p->env);
}

int launched_exec(struct system *s, const struct step *step, const struct exec_request *q,
		  struct outcome *out, struct err *err)
{
	const struct launched *d = s->impl;
	struct prepared p;
	char *reason = NULL;

	(void)step;
	*out = (struct outcome){.status = OUTCOME_OK};
	if (!prepare(d, q, &p, &reason)) {
		out->exit_code = 127;
		outcome_fail(out, OUTCOME_FAILED, "%s", reason);
		free(reason);
		return 0;
	}
	struct launch_run run = {
		.program = {.path = p.path,
			    .argv = &p.argv,
			    .env = &p.env,
			    .cwd = q->cwd == NULL ? s->run_dir_inside : q->cwd},
		.input = q->input,
		.input_len = q->input_len,
		.timeout_ns = q->timeout_ns,
		.output_max = q->output_max,
		.discard_output = q->discard_output,
		.enough = q->enough,
	};
	int rc = launch_run(d->launch, &run, out, err);
	prepared_release(&p);
	return rc;
}

int launched_spawn(struct system *s, const struct step *step, const struct exec_request *q,
		   const char *log, int *id, struct err *err)
{
	const struct launched *d = s->impl;
	struct prepared p;
	char *reason = NULL;

	(void)step;
	if (!prepare(d, q, &p, &reason)) {
		int rc = err_set(err, "%s", reason);

		free(reason);
		return rc;
	}
	struct launch_program program = {.path = p.path,
					 .argv = &p.argv,
					 .env = &p.env,
					 .cwd = q->cwd == NULL ? s->run_dir_inside : q->cwd};
	int rc = launch_spawn(d->launch, &program, log, id, err);
	prepared_release(&p);
	return rc;
}

bool launched_alive(struct system *s, int id, const char **how)
{
	struct launched *d = s->impl;
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;
	bool running = false;
	int status = 0;

	if (launch_status(d->launch, id, &running, &status, &err) != 0)
		buf_addstr(&b, err.code == ERR_GONE ? "the whole system ended" : "no such service");
	else if (WIFSIGNALED(status))
		buf_addf(&b, "signal %d", WTERMSIG(status));
	else
		buf_addf(&b, "exit status %d", WEXITSTATUS(status));
	strncpy(d->how, buf_str(&b), sizeof(d->how) - 1);
	buf_release(&b);
	if (!running && how != NULL)
		*how = d->how;
	return running;
}

int launched_stop(struct system *s, const struct step *step, int id, int64_t grace_ns,
		  struct err *err)
{
	const struct launched *d = s->impl;

	(void)step;
	return launch_stop(d->launch, id, grace_ns, err);
}

int launched_fetch(struct system *s, const struct step *step, const struct fetch_request *q,
		   struct outcome *out, struct err *err)
{
	(void)step;
	return fetch_page(q, s->stop, out, err);
}

int launched_put(struct system *s, const struct step *step, const char *path, const void *data,
		 size_t len, struct err *err)
{
	const struct launched *d = s->impl;

	(void)step;
	return launch_put(d->launch, path, data, len, err);
}

int launched_get(struct system *s, const struct step *step, const char *path, size_t max,
		 struct buf *out, struct err *err)
{
	const struct launched *d = s->impl;

	(void)step;
	return launch_get(d->launch, path, max, out, err);
}

int launched_get_part(struct system *s, const struct step *step, const char *path, uint64_t at,
		      size_t size, struct buf *out, struct err *err)
{
	const struct launched *d = s->impl;
	char *file = fs_resolve_in_root(d->root, path);
	int fd = file == NULL ? -1 : open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int rc = 0;

	(void)step;
	if (fd < 0 || fstat(fd, &st) != 0)
		rc = err_errno(err, file == NULL ? ENOENT : errno, "cannot read %s", path);
	else if (!S_ISREG(st.st_mode))
		rc = err_set(err, "%s is no file", path);
	while (rc == 0 && size > 0) {
		ssize_t n = pread(fd, buf_reserve(out, size), size, (off_t)at);

		if (n < 0)
			rc = err_errno(err, errno, "cannot read %s", path);
		if (n <= 0)
			break;
		out->len += (size_t)n;
		out->data[out->len] = '\0';
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	if (fd >= 0)
		(void)close(fd);
	free(file);
	return rc;
}

int launched_observe(struct system *s, const struct step *step, struct buf *out, struct err *err)
{
	(void)s;
	(void)step;
	(void)err;
	observe_machine(out);
	return 0;
}

int launched_place(struct system *s, enum placement p, struct err *err)
{
	struct launched *d = s->impl;
	unsigned char mask[PLACEMENT_MASK_MAX];

	placement_mask(p, mask);
	int rc = launch_place(d->launch, mask, sizeof(mask), err);
	if (rc == 0)
		d->placement = p;
	return rc;
}

int launched_free_port(struct system *s, const struct step *step, int *port, struct err *err)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc = 0;

	(void)s;
	(void)step;
	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) != 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &len) != 0)
		rc = err_errno(err, errno, "no free port on 127.0.0.1");
	else
		*port = ntohs(a.sin_port);
	if (fd >= 0)
		(void)close(fd);
	return rc;
}
