/*
 * launch_channel: the private half of launch: the process, the socket and whole
 * frames over it.
 */
#ifndef LAMPDUEL_SYSTEM_LAUNCH_CHANNEL_H
#define LAMPDUEL_SYSTEM_LAUNCH_CHANNEL_H

#include "launcher/protocol.h"
#include "system/launch.h"

struct launch {
	pid_t pid;  /* 0: reaped */
	int fd;     /* our end of the channel, -1: closed */
	int errors; /* a file in memory: what it wrote to stderr */
	char *what;
	char *gone; /* why it can no longer be used; NULL: it can */
	const volatile int *stop;
};

enum channel_on_stop { CHANNEL_IGNORE_STOP, CHANNEL_CANCEL_ON_STOP, CHANNEL_GIVE_UP_ON_STOP };

bool launch_interrupted(const struct launch *l);
/* Sends one frame. */
int launch_send(struct launch *l, uint32_t type, const struct buf *payload, struct err *err);
/*
 * Waits for the reply to type, its payload at most max bytes, and reads its stage and errno. 0, or
 * ERR_GONE, ERR_INTERRUPTED. With CHANNEL_CANCEL_ON_STOP an interruption cancels the request and
 * its reply is still read; *cancelled says so.
 */
int launch_receive(struct launch *l, uint32_t type, size_t max, int64_t timeout_ns,
		   enum channel_on_stop on_stop, struct buf *payload, bool *cancelled,
		   struct err *err);
/* It can no longer be used: ends and reaps it and makes the line for this and all later calls. */
int launch_gone(struct launch *l, const char *why, struct err *err);

#endif
