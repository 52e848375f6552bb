#include "system/ssh_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

void ssh_there_release(struct ssh_there *t)
{
	free(t->run_id);
	free(t->dir);
	free(t->path);
	free(t->shell);
	*t = (struct ssh_there){0};
}

void ssh_quote(struct buf *b, const char *word)
{
	buf_addch(b, '\'');
	for (const char *p = word; *p != '\0'; p++) {
		if (*p == '\'')
			buf_addstr(b, "'\\''");
		else
			buf_addch(b, *p);
	}
	buf_addch(b, '\'');
}

char *ssh_bootstrap(size_t len)
{
	/* dd reads byte by byte and leaves what follows; no character here means anything to a
	 * login shell but the quotes, not even to csh or fish */
	return mem_printf("exec /bin/sh -c 'LC_ALL=C; export LC_ALL; unset ENV BASH_ENV CDPATH; "
			  "eval \"$(dd bs=1 count=%zu 2>/dev/null)\"'",
			  len);
}

static void add_variable(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, "%s=", name);
	ssh_quote(b, value);
	buf_addch(b, '\n');
}

/*
 * What is marked is ended, again until nothing is found: a process may be made meanwhile. All are
 * stopped first, so that no parent does or says anything about its child's end.
 */
static const char sweep[] =
	"sweep() {\n"
	"	for turn in 1 2 3 4 5 6 7 8 9; do\n"
	"		pids=\n"
	"		for f in $(grep -l \"$1\" /proc/[0-9]*/environ 2>/dev/null); do\n"
	"			f=${f#/proc/}\n"
	"			pids=\"$pids ${f%/environ}\"\n"
	"		done\n"
	"		[ -n \"$pids\" ] || break\n"
	"		kill -STOP $pids 2>/dev/null\n"
	"		kill -9 $pids 2>/dev/null\n"
	"	done\n"
	"}\n";

/*
 * The lock is a folder with "PID RUN NONCE" in it: made by one alone, removed by its maker, or by
 * the next when its maker is gone. Systems of one run share it. The lock of a lampduel that runs
 * over there itself is an abstract socket.
 */
static const char lock[] =
	"lock=/tmp/lampduel-measuring mine= tries=\n"
	"held() {\n"
	"	[ \"$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)\" != \"$boot\" ] &&\n"
	"		grep -q '@lampduel-measuring$' /proc/net/unix 2>/dev/null\n"
	"}\n"
	"take_lock() {\n"
	"	until ! held && mkdir \"$lock\" 2>/dev/null; do\n"
	"		p= r= n=\n"
	"		{ read -r p r n <\"$lock/owner\"; } 2>/dev/null\n"
	"		if [ ! -d \"$lock\" ]; then\n"
	"			held || tries=x$tries\n"
	"			[ \"$tries\" != xxx ] || return 0\n"
	"		elif [ \"$r\" = \"$run\" ] && [ \"$n\" != \"$former\" ]; then\n"
	"			return 0\n"
	"		elif [ -z \"$p\" ]; then\n"
	"			sleep 1\n"
	"			[ -f \"$lock/owner\" ] || rmdir \"$lock\" 2>/dev/null\n"
	"		elif [ ! -d \"/proc/$p\" ] && mv \"$lock\" \"$lock.$$\" 2>/dev/null; then\n"
	"			rm -rf \"$lock.$$\"\n"
	"			continue\n"
	"		fi\n"
	"		say wait \"${p:-0}\"\n"
	"		sleep 1\n"
	"	done\n"
	"	mine=1\n"
	"	chmod 755 \"$lock\"\n"
	"	echo \"$$ $run $nonce\" >\"$lock/owner\"\n"
	"	chmod 644 \"$lock/owner\"\n"
	"}\n";

/*
 * "life" is a sign of life once a minute: it makes sshd notice within minutes that nobody is there
 * any more, also when no packet said so.
 */
static const char agent[] =
	"say() { printf '@%s %s\\n' \"$nonce\" \"$*\"; }\n"
	"finish() {\n"
	"	trap '' HUP INT TERM PIPE\n"
	"	[ -z \"$life\" ] || kill \"$life\" 2>/dev/null\n"
	"	sweep \"LAMPDUEL_RUN=$run-$nonce\"\n"
	"	[ -z \"$mine\" ] || rm -rf \"$lock\"\n"
	"	[ -z \"$dir\" ] || rm -rf \"$dir\"\n"
	"	exit 0\n"
	"}\n"
	"umask 077\n"
	"PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/usr/bin:/bin\n"
	"dir= life=\n"
	"trap finish HUP INT TERM PIPE\n"
	"[ -z \"$locking\" ] || take_lock\n"
	"dir=${TMPDIR:-/tmp}/lampduel-$run-$nonce\n"
	"mkdir \"$dir\" || { say fail; dir=; finish; }\n"
	"echo x | cat >\"$dir/room\" || { say fail; finish; }\n"
	"rm -f \"$dir/room\"\n"
	"shell= clock=uptime cost=0\n"
	"for f in bash /bin/bash /usr/bin/bash /usr/local/bin/bash; do\n"
	"	f=$(command -v \"$f\" 2>/dev/null)\n"
	"	case $f in /*)\n"
	"		t=$(\"$f\" -c 'echo \"$EPOCHREALTIME\"' 2>/dev/null)\n"
	"		case $t in [1-9]*.[0-9]*) shell=$f clock=shell; break;; esac;;\n"
	"	esac\n"
	"done\n"
	"a=$(date +%s%N 2>/dev/null)\n"
	"case $a in *[!0-9]*) a=;; esac\n"
	"if [ \"$clock\" = uptime ] && [ ${#a} -ge 19 ]; then\n"
	"	clock=date\n"
	"	cost=\"$(date +%s%N) $(date +%s%N) $(date +%s%N) $(date +%s%N)\"\n"
	"fi\n"
	"say ready\n"
	"say dir \"$dir\"\n"
	"say path \"$PATH\"\n"
	"say shell \"${shell:-/bin/sh}\"\n"
	"say clock \"$clock\" \"$cost\"\n"
	"say go\n"
	"while :; do\n"
	"	env LAMPDUEL_RUN=\"$run-$nonce-life\" sleep 60 >/dev/null 2>&1 </dev/null\n"
	"	say life\n"
	"done &\n"
	"life=$!\n"
	"while read -r order; do\n"
	"	case $order in\n"
	"	end) sweep \"LAMPDUEL_RUN=$run-$nonce-work\" ;;\n"
	"	bye) break ;;\n"
	"	esac\n"
	"done\n"
	"finish\n";

void ssh_script_agent(struct buf *b, const struct ssh_there *t, bool locking, const char *boot_id,
		      const char *former)
{
	buf_addstr(b, "{\n");
	add_variable(b, "run", t->run_id);
	add_variable(b, "nonce", t->nonce);
	add_variable(b, "boot", boot_id == NULL ? "" : boot_id);
	add_variable(b, "former", former == NULL ? "" : former);
	add_variable(b, "locking", locking ? "1" : "");
	buf_addstr(b, sweep);
	buf_addstr(b, lock);
	buf_addstr(b, agent);
	buf_addstr(b, "}");
}

/* The marks at the beginning, on both outputs. */
static void add_head(struct buf *b, const struct ssh_there *t)
{
	buf_addstr(b, "{\n");
	add_variable(b, "mark", t->nonce);
	/* what a shell itself remarks ("Killed") is not the program's: its standard error is
	 * closed, and the program's is set behind the fork */
	buf_addstr(b, "exec 3>&2\n"
		      "say() { printf '\\n@%s %s\\n' \"$mark\" \"$*\" >&3; }\n"
		      "printf '@%s\\n' \"$mark\"\n");
}

/*
 * The timed part. Its own standard error is closed, so that no shell's remark about a signal gets
 * among the program's. What is read last is what lies nearest to the program.
 */
static void add_timed(struct buf *b, const struct ssh_there *t, bool discard)
{
	static const char *const read_clock[] = {
		[SSH_CLOCK_SHELL] = "=$EPOCHREALTIME",
		[SSH_CLOCK_DATE] = "=$(date +%s%N)",
		[SSH_CLOCK_UPTIME] = "=0",
	};
	struct buf text = BUF_INIT;
	/* a process that reads the clock stays outside of the CPU times, a variable next to the
	 * program */
	bool outside = t->clock == SSH_CLOCK_DATE;
	const char *clock = read_clock[t->clock];

	buf_addstr(&text, "exec 4>&2 2>/dev/null\nv= x=\n");
	if (outside)
		buf_addf(&text, "t%s\n", clock);
	buf_addf(&text,
		 "times >&4\n"
		 "printf '@%s begin\\n' >&4\n"
		 "read -r u x </proc/uptime\n",
		 t->nonce);
	if (!outside)
		buf_addf(&text, "t%s\n", clock);
	buf_addf(&text, "(exec \"$0\" \"$@\" 2>&4 4>&-%s)\ns=$?\n", discard ? " >/dev/null" : "");
	if (!outside)
		buf_addf(&text, "e%s\n", clock);
	buf_addf(&text,
		 "read -r v x </proc/uptime\n"
		 "printf '\\n@%s times\\n' >&4\n"
		 "times >&4\n",
		 t->nonce);
	if (outside)
		buf_addf(&text, "e%s\n", clock);
	buf_addf(&text,
		 "printf '@%s end %%s %%s %%s %%s %%s\\n' \"$s\" \"$t\" \"$e\" \"$u\" \"$v\" >&4\n"
		 "exit $s\n",
		 t->nonce);
	ssh_quote(b, buf_str(&text));
	buf_release(&text);
}

static bool is_set(const struct strvec *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; env != NULL && i < env->n; i++) {
		if (strncmp(env->v[i], name, n) == 0 && env->v[i][n] == '=')
			return true;
	}
	return false;
}

static void add_environment(struct buf *b, const struct ssh_there *t, const struct strvec *env)
{
	const char *const fixed[][2] = {{"PATH", t->path},
					{"HOME", t->dir},
					{"TMPDIR", t->dir},
					{"LC_ALL", "C"},
					{"TZ", "UTC0"}};
	char *mark = mem_printf("LAMPDUEL_RUN=%s-%s-work", t->run_id, t->nonce);

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (is_set(env, fixed[i][0]))
			continue;
		char *pair = mem_printf("%s=%s", fixed[i][0], fixed[i][1]);
		buf_addch(b, ' ');
		ssh_quote(b, pair);
		free(pair);
	}
	for (size_t i = 0; env != NULL && i < env->n; i++) {
		buf_addch(b, ' ');
		ssh_quote(b, env->v[i]);
	}
	buf_addch(b, ' ');
	ssh_quote(b, mark);
	free(mark);
}

void ssh_script_exec(struct buf *b, const struct ssh_there *t, const struct ssh_program *p)
{
	add_head(b, t);
	buf_addstr(b, sweep);
	add_variable(b, "PATH", t->path);
	buf_addstr(b, "set --");
	for (size_t i = 0; i < p->argv->n; i++) {
		buf_addch(b, ' ');
		ssh_quote(b, p->argv->v[i]);
	}
	/* a name is looked up by us: a shell would take its own builtin */
	buf_addstr(b, "\ncase $1 in\n"
		      "/*) program=$1; [ -x \"$program\" ] && [ -f \"$program\" ] || program= ;;\n"
		      "*) program= saved=$IFS IFS=:; set -f\n"
		      "	for d in $PATH; do\n"
		      "		[ -f \"$d/$1\" ] && [ -x \"$d/$1\" ] || continue\n"
		      "		program=$d/$1\n"
		      "		break\n"
		      "	done\n"
		      "	IFS=$saved; set +f ;;\n"
		      "esac\n"
		      "shift\n");
	add_variable(b, "folder", p->cwd);
	buf_addstr(b, "if [ -z \"$program\" ]; then say none\n"
		      "elif ! cd \"$folder\" 2>/dev/null; then say folder\n"
		      "else\n"
		      "printf '@%s head\\n' \"$mark\" >&3\n"
		      "exec 2>/dev/null\n"
		      "(exec env -i");
	add_environment(b, t, p->env);
	buf_addch(b, ' ');
	ssh_quote(b, t->shell);
	buf_addstr(b, " -c ");
	add_timed(b, t, p->discard_output);
	buf_addf(b, " \"$program\" \"$@\" 2>&3 3>&-%s)\n", p->has_input ? "" : " </dev/null");
	buf_addf(b, "status=$?\nsweep 'LAMPDUEL_RUN=%s-%s-work'\nsay exit $status\nfi\n}",
		 t->run_id, t->nonce);
}

void ssh_script_put(struct buf *b, const struct ssh_there *t, const char *path, size_t len)
{
	char *folder = mem_strdup(path);
	char *slash = strrchr(folder, '/');

	if (slash != NULL)
		slash[slash == folder ? 1 : 0] = '\0';
	add_head(b, t);
	add_variable(b, "PATH", t->path);
	add_variable(b, "path", path);
	add_variable(b, "folder", slash == NULL ? "." : folder);
	/* written beside it and renamed: a file is whole, or it is not there */
	buf_addf(b,
		 "umask 022\n"
		 "printf '@%%s begin\\n' \"$mark\" >&2\n"
		 "mkdir -p \"$folder\" && cat >\"$path.part\" &&\n"
		 "	[ \"$(($(wc -c <\"$path.part\")))\" -eq %zu ] && mv -f \"$path.part\" "
		 "\"$path\"\n"
		 "status=$?\n"
		 "[ $status -eq 0 ] || rm -f \"$path.part\"\n"
		 "say exit $status\n}",
		 len);
	free(folder);
}

void ssh_script_get(struct buf *b, const struct ssh_there *t, const char *path, size_t max)
{
	add_head(b, t);
	add_variable(b, "PATH", t->path);
	add_variable(b, "path", path);
	buf_addf(b,
		 "printf '@%%s begin\\n' \"$mark\" >&2\n"
		 "if [ -f \"$path\" ]; then\n"
		 "	head -c %zu <\"$path\"\n"
		 "	status=$?\n"
		 "elif [ -e \"$path\" ]; then\n"
		 "	echo 'no regular file' >&2; status=1\n"
		 "else\n"
		 "	echo 'No such file or directory' >&2; status=1\n"
		 "fi\n"
		 "say exit $status\n}",
		 max + 1);
}
