/*
 * recorder: a layer over an open system that writes down what it answers. The
 * caller sees the same system; system_close() ends the layer with it. The
 * recording must outlive the system, and is the caller's. Systems of one
 * recording may be used from different threads, one thread each.
 */
#ifndef LAMPDUEL_SYSTEM_RECORDER_H
#define LAMPDUEL_SYSTEM_RECORDER_H

#include "system/recording.h"
#include "system/system.h"

void recorder_wrap(struct system *s, struct recording *r);

#endif
