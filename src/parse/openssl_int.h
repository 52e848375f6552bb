/*
 * openssl_int: what the files of the openssl reader share. A block is one run of
 * `openssl speed`: progress lines, then the version, then tables; parts may be missing.
 * Progress lines are held until their table row or the end of the block.
 */
#ifndef LAMPDUEL_PARSE_OPENSSL_INT_H
#define LAMPDUEL_PARSE_OPENSSL_INT_H

#include "parse/label.h"
#include "parse/reader.h"

enum {
	ITEM_MAX = 80,
	MEASURED_MAX = 512,
	BLOCKS_MAX = 16,
	SUMS_MAX = 256,
	CHILDREN_MAX = 64, /* a bit each */
};

enum algorithm {
	ALG_NONE,
	ALG_BULK,
	ALG_RSA,
	ALG_DSA,
	ALG_ECDSA,
	ALG_ECDH,
	ALG_EDDSA,
	ALG_SM2,
	ALG_FFDH,
	ALG_KEM,
	ALG_SIG,
};

enum operation {
	OP_NONE,
	OP_SIGN,
	OP_VERIFY,
	OP_ENCRYPT,
	OP_DECRYPT,
	OP_OP,
	OP_KEYGEN,
	OP_ENCAPS,
	OP_DECAPS
};

/* A progress line: count operations in seconds. */
struct measured {
	enum algorithm alg;
	enum operation op;
	unsigned bits;               /* public-key algorithms that have a size */
	char name[ITEM_MAX];         /* bulk row, curve, KEM; "" where only the size is printed */
	double size;                 /* bytes per operation of a bulk row */
	double count, seconds, step; /* step of seconds */
	double nominal;              /* seconds it was to take; 0: not said */
	long line;
	bool used; /* its table row was read */
};

/* Results of the children of -multi, added up. */
struct sum {
	enum algorithm alg;
	unsigned bits;
	char name[ITEM_MAX];
	double value[BLOCKS_MAX];
	double size[BLOCKS_MAX]; /* bulk: bytes per operation; 0: not printed */
	int n;
	unsigned long children;
	bool used, broken;
	long line;
};

enum mr_unit { MR_UNKNOWN, MR_RATE, MR_SECONDS };

struct openssl {
	struct runs runs;

	/* the block */
	bool any;     /* something of it was read */
	bool table;   /* a table of it was read */
	bool closing; /* the version behind its progress lines was read */
	char label[2 * LABEL_MAX];
	unsigned serial; /* of the heading it stands under */
	char software[96];
	int processes;     /* 0: not known */
	const char *clock; /* "user", "elapsed" or NULL */
	bool flags;        /* the line above said how it was built, which may go on */
	struct measured m[MEASURED_MAX];
	int m_n;

	/* what the blocks before had, to say that they do not compare */
	struct {
		char software[96]; /* of the first that said it */
		bool user, elapsed, one, several;
		char second[96];
	} seen;

	/* the table being read */
	enum algorithm kind; /* ALG_KEM, ALG_SIG, or ALG_NONE for all others */
	int columns;         /* operations per row of the header; 0: no header */
	bool header_open;    /* the header may go on in the next line */
	double blocks[BLOCKS_MAX];
	int blocks_n;

	/* -mr and -multi */
	bool multi;            /* several children */
	bool interleaved;      /* the lines of several children are mixed */
	bool bare;             /* figures without "Got:": of a single process */
	bool complete;         /* something came behind the children's results */
	int forked;            /* children announced */
	struct measured doing; /* announced, no result yet; alg ALG_NONE: nothing */
	struct sum sum[SUMS_MAX];
	int sum_n;
	double head[BLOCKS_MAX]; /* sizes of the last +H */
	int head_n;
	enum mr_unit unit;
	int mr_lines;
};

/* openssl.c */
void openssl_touch(struct openssl *o, struct parse_ctx *ctx); /* something of the block begins */
void openssl_new_block(struct openssl *o, struct parse_ctx *ctx);
/* Begins a new block if this one has its tables or stands under another heading. */
void openssl_after_table(struct openssl *o, struct parse_ctx *ctx);
enum algorithm openssl_algorithm(const char *text, size_t len, enum operation *op);
/* "rsa2048", "ecdsa.nistp256", "bulk.des_ede3". */
void openssl_item(char *out, size_t size, enum algorithm alg, unsigned bits, const char *name);
const char *openssl_op_name(enum operation op);
/* Name of the curve that openssl speed means by a size alone, or NULL. */
const char *openssl_curve(enum algorithm alg, unsigned bits);
struct measured *openssl_add(struct openssl *o, struct parse_ctx *ctx, const struct measured *m);
/* value, unit and so on are the caller's; run, label, conditions, software the block's. */
void openssl_emit(struct openssl *o, struct parse_ctx *ctx, const char *row, const char *item,
		  const char *aspect, struct parse_value *v);
/* count / seconds; run 0: by the row itself; label NULL: the block's. */
void openssl_emit_measured(struct openssl *o, struct parse_ctx *ctx, const struct measured *m,
			   int run, const char *label);

/* openssl_table.c */
void openssl_no_header(struct openssl *o); /* the last header holds no longer */
long openssl_header(struct openssl *o, struct parse_ctx *ctx, const struct piece *p);
long openssl_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p);

/* openssl_cells.c */
enum { CELLS_MAX = 16 };

struct cell {
	struct num n;
	const char *s;
	char suffix; /* 's', 'k' or 0 */
	bool bad;    /* inf, nan, negative */
};

/* A cell of a table at s; its end, or NULL. */
const char *openssl_cell(const char *s, struct cell *c);
const char *openssl_cell_skip(const char *s); /* blanks and the bars of a Markdown table */
/* "(Cortex-A55)" behind a row is a label of its own; its end, or s. */
const char *openssl_annotation(const char *s, char *label, size_t size);
void openssl_label_before(const struct piece *p, char *label, size_t size);
void openssl_use_annotation(const char *label, struct parse_value *v);
/* Does a progress line's rate agree with a printed one, both being rounded? */
bool openssl_agrees(const struct measured *m, double per, double value, double step);

/* openssl_keys.c, openssl_bulk.c */
long openssl_key_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p);
long openssl_bulk_row(struct openssl *o, struct parse_ctx *ctx, const struct piece *p);

/* openssl_progress.c */
long openssl_progress(struct openssl *o, struct parse_ctx *ctx, const struct piece *p);

/* openssl_mr.c */
long openssl_mr(struct openssl *o, struct parse_ctx *ctx, const struct piece *p);
void openssl_mr_end(struct openssl *o, struct parse_ctx *ctx);
/* The row of a table stands for the sum of the children. */
void openssl_mr_used(struct openssl *o, enum algorithm alg, unsigned bits, const char *name);
/* The i-th figure of a row is not the sum of the children: it is of another run. */
bool openssl_mr_contradicts(struct openssl *o, enum algorithm alg, unsigned bits, const char *name,
			    int i, double value, double step);

#endif
