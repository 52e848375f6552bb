/*
 * reader: the contract between the shared layer and the readers, one per tool.
 *
 * A reader is offered cleaned text (clean.h), piece by piece, and says how much of its
 * beginning it has read. A piece is a line of the original, or several joined where a
 * reader said that its line goes on (READER_MORE), or the rest of a line of which the
 * beginning was read (lines that were collapsed into one).
 *
 * A reader holds bounded state, reads only what it was offered, and never fails: what it
 * does not understand is not its.
 */
#ifndef LAMPDUEL_PARSE_READER_H
#define LAMPDUEL_PARSE_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "parse/num.h"
#include "parse/parse.h"

enum {
	PIECE_PARTS = 12,     /* lines joined at most */
	PIECE_MAX = 4 * 1024, /* bytes of a line offered at once */
};

struct piece {
	const char *s; /* NUL-terminated, no blank at either end, no control characters but tab */
	size_t len;
	bool end;  /* the text ends right behind it, without a newline: the last word may be cut */
	bool last; /* nothing more can be joined: READER_MORE would be in vain */
	bool rest; /* begins in the middle of a line */
	const char *before; /* what nobody knew of the line before this rest of it */
	size_t before_len;
	bool full;   /* as wide as terminals are: it may have been broken in a word */
	int hashes;  /* how many # stood before it: a heading, a comment or a prompt */
	bool prompt; /* a shell's prompt stood before it */
	/* where the lines it was joined from begin, and their numbers in the original */
	struct {
		const char *s;
		long line;
	} parts[PIECE_PARTS];
	size_t parts_n;
};

/* Line of the original that holds what at points to. */
long piece_line(const struct piece *p, const char *at);

/* What reader->read() returns when it is not a number of bytes read. */
enum { READER_NONE = 0, READER_MORE = -1 };

struct parse_ctx;

struct reader {
	const char *name; /* the tool, for messages: "openssl speed" */
	/* Texts that begin a line of this tool, ended by NULL: where lines that were joined into
	 * one, or glued together by a missing newline, are cut. */
	const char *const *starts;
	/* Bytes that a piece of this tool may begin with while another tool is being read; NULL:
	 * any. */
	const char *first;
	size_t state_size; /* zeroed at the beginning */
	/* Bytes read of the beginning of p (at least 1), READER_NONE or READER_MORE. */
	long (*read)(void *state, struct parse_ctx *ctx, const struct piece *p);
	/* A new heading or file begins: what is held back belongs to what came before. */
	void (*boundary)(void *state, struct parse_ctx *ctx);
	/* Gives what is held back, frees what state owns. */
	void (*finish)(void *state, struct parse_ctx *ctx);
};

/* For readers ------------------------------------------------------------- */

/* Gives a value to the caller; file is filled in, NULL strings become "". */
void ctx_value(struct parse_ctx *ctx, const struct parse_value *v);
/* "FILE:LINE: text"; line 0: without. The same warning is given once. */
void ctx_warn(struct parse_ctx *ctx, long line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Label of what is being read now; never NULL, lasts until the next boundary. */
const char *ctx_label(struct parse_ctx *ctx);
/* Counts headings: a reader that sees another number than before is under a new one. */
unsigned ctx_label_serial(const struct parse_ctx *ctx);
/* Makes the error of a text without any value say more: "a run that had not finished". */
void ctx_hint(struct parse_ctx *ctx, const char *hint);

/*
 * Runs of one tool. A row is what can occur once in a run ("rsa2048", a query): when it
 * comes again, either each row comes several times in succession (two cores, row by row)
 * or the whole run is repeated.
 */
enum { RUN_ROWS = 256 };

struct runs {
	int base; /* runs complete before this block */
	int max;  /* highest run given out */
	unsigned long first, last;
	struct {
		unsigned long hash;
		int times;
	} rows[RUN_ROWS]; /* open addressing; hash 0: free */
	int rows_n;
};

int runs_row(struct runs *r, const char *row); /* the run this row belongs to */
void runs_boundary(struct runs *r);            /* the next row begins a new run */

/* A metric's part as readers give it: lower case, a blank becomes _; at most size - 1 bytes. */
void metric_part(char *out, size_t size, const char *s, size_t len);

/*
 * head, name and tail as one metric. A name of more than METRIC_NAME bytes ends in a mark of its
 * own, so that two of them stay two. plain: as metric_part() has it, else as printed.
 */
enum { METRIC_NAME = 120 };
void metric_join(char *out, size_t size, const char *head, const char *name, size_t len,
		 const char *tail, bool plain);

/* The readers. */
extern const struct reader openssl_reader;
extern const struct reader bssl_reader;
extern const struct reader wordpress_reader;
extern const struct reader gobench_reader;
extern const struct reader hyperfine_reader;
extern const struct reader phpbench_reader;
extern const struct reader php_simple_reader;
extern const struct reader php_bench_reader;
extern const struct reader mysqlslap_reader;
extern const struct reader sysbench_reader;
extern const struct reader mariadb_reader;
extern const struct reader h2load_reader;
extern const struct reader siege_reader;
extern const struct reader hey_reader;
extern const struct reader wrk_reader;
extern const struct reader ab_reader;

#endif
