#include "launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_parents(const char *path)
{
	char copy[PATH_MAX];
	size_t n = strlen(path);

	if (n >= sizeof(copy))
		return;
	memcpy(copy, path, n + 1);
	for (char *p = strchr(copy + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		(void)mkdir(copy, 0755); /* when it fails, the opening says why */
		*p = '/';
	}
}

void file_put(struct launcher *l, struct lp_reader *r)
{
	size_t len = 0;
	const char *path = lp_string(r);
	const unsigned char *data = lp_bytes(r, &len);

	if (r->bad || path[0] == '\0') {
		reply_begin(&l->reply, LP_BAD_REQUEST, EINVAL);
		return;
	}
	make_parents(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
	int errnum = fd < 0 ? errno : 0;
	while (errnum == 0 && len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			errnum = errno;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
	if (fd >= 0 && close(fd) != 0 && errnum == 0)
		errnum = errno;
	reply_begin(&l->reply, errnum == 0 ? LP_DONE : LP_FILE, errnum);
}

/* The size that stat tells is no help: files of /proc say 0. */
static int read_file(int fd, uint64_t max, unsigned char **data, size_t *len)
{
	size_t cap = 0;

	for (;;) {
		if (*len == cap) {
			cap = cap == 0 ? 65536 : cap * 2;
			unsigned char *p = realloc(*data, cap);
			if (p == NULL)
				return ENOMEM;
			*data = p;
		}
		ssize_t n = read(fd, *data + *len, cap - *len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			return 0;
		*len += (size_t)n;
		if (*len > max)
			return EFBIG;
	}
}

void file_get(struct launcher *l, struct lp_reader *r)
{
	const char *path = lp_string(r);
	uint64_t max = lp_u64(r);
	unsigned char *data = NULL;
	size_t len = 0;
	struct stat st;
	int errnum = 0;

	if (r->bad || max > LP_OUTPUT_MAX) {
		reply_begin(&l->reply, LP_BAD_REQUEST, EINVAL);
		return;
	}
	/* without blocking: a pipe of that name must not hold us */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) != 0)
		errnum = errno;
	else if (S_ISDIR(st.st_mode))
		errnum = EISDIR;
	else if (!S_ISREG(st.st_mode))
		errnum = EINVAL;
	else
		errnum = read_file(fd, max, &data, &len);
	if (fd >= 0)
		(void)close(fd);
	reply_begin(&l->reply, errnum == 0 ? LP_DONE : LP_FILE, errnum);
	if (errnum == 0)
		reply_bytes(&l->reply, data, len);
	free(data);
}
