#include "store/alive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static char *file_of(const struct store *st)
{
	return mem_printf("%s-alive", st->path);
}

static struct flock byte_of(int64_t id, short type)
{
	return (struct flock){
		.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)id, .l_len = 1};
}

/* The store's own file mode: whoever may measure into it may lock as well. */
static int open_file(const struct store *st)
{
	char *path = file_of(st);
	struct stat s;
	mode_t mode = stat(st->path, &s) == 0 ? s.st_mode & 0666 : 0600;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);

	free(path);
	return fd;
}

int alive_take(struct store *st, int64_t id, struct err *err)
{
	struct flock l = byte_of(id, F_WRLCK);

	if (st->alive_fd < 0)
		st->alive_fd = open_file(st);
	if (st->alive_fd < 0 || fcntl(st->alive_fd, F_OFD_SETLK, &l) == 0)
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return 0;
	return err_set(err, "experiment %lld is being measured by another lampduel already",
		       (long long)id);
}

bool alive_is(const struct store *st, int64_t id)
{
	struct flock l = byte_of(id, F_WRLCK);

	/* a lock of our own descriptor is not told by F_OFD_GETLK of the same */
	char *path = file_of(st);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool missing = fd < 0 && errno == ENOENT;
	bool alive = !missing;

	if (fd >= 0 && fcntl(fd, F_OFD_GETLK, &l) == 0)
		alive = l.l_type != F_UNLCK;
	if (fd >= 0)
		(void)close(fd);
	free(path);
	return alive;
}

void alive_drop(struct store *st, int64_t id)
{
	struct flock l = byte_of(id, F_UNLCK);

	if (st->alive_fd >= 0)
		(void)fcntl(st->alive_fd, F_OFD_SETLK, &l);
}

void alive_close(struct store *st)
{
	if (st->alive_fd >= 0)
		(void)close(st->alive_fd);
	st->alive_fd = -1;
}

char *alive_state(const struct store *st, int64_t id, char *stored)
{
	if (strcmp(stored, "running") == 0 && !alive_is(st, id))
		mem_replace(&stored, mem_strdup("interrupted"));
	return stored;
}
