#include "launcher/launcher.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_all(struct launcher *l, unsigned char *p, size_t n)
{
	while (n > 0) {
		ssize_t got = read(l->in, p, n);

		if (got == 0 || (got < 0 && errno != EINTR))
			launcher_end(l, 0);
		if (got > 0) {
			p += got;
			n -= (size_t)got;
		}
	}
}

unsigned char *channel_read(struct launcher *l, uint32_t *type, size_t *len)
{
	unsigned char header[LP_HEADER];
	struct lp_reader r = {header, header + sizeof(header), false};

	read_all(l, header, sizeof(header));
	*len = lp_u32(&r);
	*type = lp_u32(&r);
	unsigned char *payload = *len > LP_FRAME_MAX ? NULL : malloc(*len + 1);
	if (payload == NULL)
		launcher_end(l, 1);
	read_all(l, payload, *len);
	return payload;
}

void channel_interrupt(struct launcher *l)
{
	uint32_t type = 0;
	size_t len = 0;

	free(channel_read(l, &type, &len));
	if (type != LP_CANCEL)
		launcher_end(l, 1);
	l->cancelled = true;
}

void channel_write(struct launcher *l, uint32_t type)
{
	struct reply *r = &l->reply;
	const unsigned char *p = r->data;
	size_t left = r->len;

	lp_store32(r->data, (uint32_t)(r->len - LP_HEADER));
	lp_store32(r->data + 4, type);
	while (left > 0) {
		ssize_t n = write(l->out, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			launcher_end(l, 0);
		p += n;
		left -= (size_t)n;
	}
	if (r->cap > 65536) {
		free(r->data);
		*r = (struct reply){0};
	}
}

static unsigned char *reply_room(struct reply *r, size_t n)
{
	if (r->cap - r->len < n) {
		size_t cap = r->len + n + 4096;
		unsigned char *p = realloc(r->data, cap);

		if (p == NULL)
			abort(); /* lampduel sees that we are gone; the children die with us */
		r->data = p;
		r->cap = cap;
	}
	r->len += n;
	return r->data + r->len - n;
}

void reply_begin(struct reply *r, enum lp_stage stage, int errnum)
{
	r->len = 0;
	memset(reply_room(r, LP_HEADER), 0, LP_HEADER);
	reply_u32(r, (uint32_t)stage);
	reply_u32(r, (uint32_t)errnum);
}

void reply_u32(struct reply *r, uint32_t v)
{
	lp_store32(reply_room(r, 4), v);
}

void reply_u64(struct reply *r, uint64_t v)
{
	lp_store64(reply_room(r, 8), v);
}

void reply_bytes(struct reply *r, const void *data, size_t n)
{
	reply_u32(r, (uint32_t)n);
	if (n > 0)
		memcpy(reply_room(r, n), data, n);
}
