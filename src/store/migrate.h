/*
 * migrate: brings a store's schema to the newest version. A migration is SQL
 * that leads from version N-1 to N; the list is only ever appended to. Each
 * runs in a transaction of its own with the user_version it sets, so that a
 * crash leaves a whole version.
 */
#ifndef LAMPDUEL_STORE_MIGRATE_H
#define LAMPDUEL_STORE_MIGRATE_H

#include <stddef.h>

#include "base/err.h"
#include "store/db.h"

/* "lamp": tells a lampduel store from any other SQLite file. */
enum { STORE_APPLICATION_ID = 0x6c616d70 };

struct migrations {
	const char *const *sql; /* sql[i] leads from version i to i + 1 */
	size_t n;
};

extern const struct migrations store_migrations;

/* Refuses a newer schema and a file that is another program's. */
int migrate(struct store *st, const struct migrations *m, struct err *err);

#endif
