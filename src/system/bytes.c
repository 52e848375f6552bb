#include "system/bytes.h"

#include <string.h>

#include "base/jsonx.h"
#include "base/mem.h"

enum {
	PARTS_MIN = 512,  /* shorter bytes are written as they are */
	SHARED_MIN = 64,  /* shorter bytes are repeated */
	LOOK_AHEAD = 200, /* pieces of the model that may have been left out */
	LOOK_NEAR = 4,    /* the same for a short piece: a blank line is found everywhere */
	SHORT = 20,
	PART_COST = 16 /* what a part takes in the file beyond its text, about */
};

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *data, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
	return h;
}

void bytes_pool_release(struct bytes_pool *p)
{
	for (size_t i = 0; i < p->entries.n; i++) {
		free(p->entries.v[i].data);
		vec_release(&p->entries.v[i].parts);
		vec_release(&p->entries.v[i].pieces);
	}
	vec_release(&p->entries);
	vec_release(&p->numbered);
	p->n_models = 0;
}

const struct bytes_entry *bytes_at(const struct bytes_pool *p, size_t index)
{
	static const struct bytes_entry empty = {.data = ""};

	return index == 0 ? &empty : &p->entries.v[index];
}

/* Lines, and in HTML what stands between tags: where two pages that differ can meet again. */
static void cut_into_pieces(struct bytes_entry *e)
{
	for (size_t from = 0; from < e->len;) {
		size_t end = from;
		while (end < e->len && e->data[end] != '\n' && e->data[end] != '>')
			end++;
		if (end < e->len)
			end++;
		const struct bytes_piece piece = {from, end - from,
						  hash_of(e->data + from, end - from)};
		vec_push(&e->pieces, piece);
		from = end;
	}
}

static void add_part(struct bytes_entry *e, bool literal, size_t from, size_t len)
{
	if (e->parts.n > 0) {
		struct bytes_part *last = vec_last(&e->parts);
		if (last->literal == literal && last->from + last->len == from) {
			last->len += len;
			return;
		}
	}
	const struct bytes_part part = {literal, from, len};
	vec_push(&e->parts, part);
}

/* The first piece of model at or after at that equals piece of e, or the number of pieces. */
static size_t find_piece(const struct bytes_entry *model, size_t at, const struct bytes_entry *e,
			 const struct bytes_piece *piece)
{
	size_t end = at + (piece->len < SHORT ? LOOK_NEAR : LOOK_AHEAD);

	for (size_t k = at; k < model->pieces.n && k < end; k++) {
		const struct bytes_piece *m = &model->pieces.v[k];
		if (m->hash == piece->hash && m->len == piece->len &&
		    memcmp(model->data + m->from, e->data + piece->from, m->len) == 0)
			return k;
	}
	return model->pieces.n;
}

/* Writes e as parts of model; false when that saves less than half. */
static bool try_model(struct bytes_entry *e, const struct bytes_entry *model)
{
	size_t at = 0;
	size_t cost = 0;

	e->parts.n = 0;
	for (size_t i = 0; i < e->pieces.n; i++) {
		const struct bytes_piece *piece = &e->pieces.v[i];
		size_t k = find_piece(model, at, e, piece);

		if (k < model->pieces.n) {
			add_part(e, false, model->pieces.v[k].from, piece->len);
			at = k + 1;
		} else {
			add_part(e, true, piece->from, piece->len);
			cost += piece->len;
		}
	}
	return cost + e->parts.n * PART_COST < e->len / 2;
}

static void take_model_out(struct bytes_pool *p, size_t i)
{
	p->n_models--;
	memmove(p->models + i, p->models + i + 1, (p->n_models - i) * sizeof(p->models[0]));
}

static void choose_form(struct bytes_pool *p, size_t index)
{
	struct bytes_entry *e = &p->entries.v[index];

	cut_into_pieces(e);
	for (size_t i = p->n_models; i > 0; i--) {
		size_t m = p->models[i - 1];
		if (!try_model(e, &p->entries.v[m]))
			continue;
		e->of = m;
		p->entries.v[m].uses++;
		vec_release(&e->pieces);
		take_model_out(p, i - 1);
		p->models[p->n_models++] = m;
		return;
	}
	vec_release(&e->parts);
	if (p->n_models == BYTES_MODELS) { /* that which fitted longest ago makes room */
		vec_release(&p->entries.v[p->models[0]].pieces);
		take_model_out(p, 0);
	}
	p->models[p->n_models++] = index;
}

size_t bytes_add(struct bytes_pool *p, const void *data, size_t len)
{
	uint64_t hash = hash_of(data, len);

	if (len == 0)
		return 0;
	if (p->entries.n == 0)
		(void)vec_add(&p->entries); /* index 0 */
	for (size_t i = 1; i < p->entries.n; i++) {
		struct bytes_entry *e = &p->entries.v[i];
		if (e->hash == hash && e->len == len && memcmp(e->data, data, len) == 0) {
			e->uses++;
			return i;
		}
	}
	struct bytes_entry *e = vec_add(&p->entries);
	e->data = mem_alloc(mem_add(len, 1));
	memcpy(e->data, data, len);
	e->len = len;
	e->hash = hash;
	e->uses = 1;
	size_t index = p->entries.n - 1;
	if (len >= PARTS_MIN && !p->reading)
		choose_form(p, index);
	return index;
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64_add(struct buf *b, const char *data, size_t len)
{
	const unsigned char *s = (const unsigned char *)data;

	for (size_t i = 0; i < len; i += 3) {
		size_t n = len - i < 3 ? len - i : 3;
		uint32_t v = (uint32_t)s[i] << 16;
		if (n > 1)
			v |= (uint32_t)s[i + 1] << 8;
		if (n > 2)
			v |= s[i + 2];
		for (size_t k = 0; k < 4; k++)
			buf_addch(b, k <= n ? base64_digits[v >> (18 - 6 * k) & 63] : '=');
	}
}

static bool base64_read(const char *s, size_t len, struct buf *out)
{
	if (len % 4 != 0)
		return false;
	for (size_t i = 0; i < len; i += 4) {
		size_t pad = 0;
		uint32_t v = 0;

		if (i + 4 == len)
			pad = s[i + 3] != '=' ? 0 : s[i + 2] != '=' ? 1 : 2;
		for (size_t k = 0; k < 4; k++) {
			const char *d = k < 4 - pad ? memchr(base64_digits, s[i + k], 64) : NULL;
			if (k < 4 - pad && d == NULL)
				return false;
			v = v << 6 | (d == NULL ? 0 : (uint32_t)(d - base64_digits));
		}
		for (size_t k = 0; k < 3 - pad; k++)
			buf_addch(out, (char)(v >> (16 - 8 * k) & 255));
	}
	return true;
}

static json_t *own(json_t *j)
{
	if (j == NULL)
		mem_exhausted();
	return j;
}

/* A string, or base64 when the bytes are no UTF-8. */
static json_t *plain_json(const char *data, size_t len)
{
	json_t *j = json_stringn(data, len);

	if (j == NULL) {
		struct buf b = BUF_INIT;
		base64_add(&b, data, len);
		j = own(json_pack("{s:s}", "base64", buf_str(&b)));
		buf_release(&b);
	}
	return j;
}

static json_t *full_json(const struct bytes_pool *p, const struct bytes_entry *e)
{
	if (e->of == 0)
		return plain_json(e->data, e->len);
	json_t *parts = own(json_array());
	for (size_t i = 0; i < e->parts.n; i++) {
		const struct bytes_part *part = &e->parts.v[i];
		(void)json_array_append_new(
			parts, part->literal ? plain_json(e->data + part->from, part->len)
					     : own(json_pack("[II]", (json_int_t)part->from,
							     (json_int_t)part->len)));
	}
	return own(json_pack("{s:I,s:o}", "of", (json_int_t)p->entries.v[e->of].number, "parts",
			     parts));
}

json_t *bytes_to_json(const struct bytes_pool *p, size_t index)
{
	const struct bytes_entry *e = bytes_at(p, index);

	if (e->number > 0)
		return own(json_pack("{s:I}", "bytes", (json_int_t)e->number));
	return full_json(p, e);
}

void bytes_write_shared(struct bytes_pool *p, struct buf *out)
{
	size_t number = 0;

	for (size_t i = 1; i < p->entries.n; i++) {
		struct bytes_entry *e = &p->entries.v[i];

		e->number = 0;
		if (e->uses < 2 || e->len < SHARED_MIN)
			continue;
		e->number = ++number;
		json_t *line = own(
			json_pack("{s:I,s:o}", "bytes", (json_int_t)number, "is", full_json(p, e)));
		char *text = jsonx_take_text(line, JSON_COMPACT | JSON_ENSURE_ASCII);
		buf_addf(out, "%s\n", text);
		free(text);
	}
}

static int numbered(const struct bytes_pool *p, json_t *j, size_t *index, struct err *err)
{
	json_int_t n = json_integer_value(j);

	if (!json_is_integer(j) || n < 1 || (uint64_t)n > p->numbered.n)
		return err_set(err, "bytes %lld do not stand above", (long long)n);
	*index = p->numbered.v[n - 1];
	return 0;
}

static int read_plain(json_t *j, struct buf *out, struct err *err)
{
	json_t *b64 = json_object_get(j, "base64");

	if (json_is_string(j)) {
		buf_add(out, json_string_value(j), json_string_length(j));
		return 0;
	}
	if (!json_is_string(b64) || json_object_size(j) != 1 ||
	    !base64_read(json_string_value(b64), json_string_length(b64), out))
		return err_set(err, "neither text nor base64");
	return 0;
}

static int read_parts(struct bytes_pool *p, json_t *j, struct buf *out, struct err *err)
{
	json_t *parts = json_object_get(j, "parts");
	size_t model = 0;

	if (!json_is_array(parts) || json_object_size(j) != 2)
		return err_set(err, "\"of\" wants \"parts\", a list");
	if (numbered(p, json_object_get(j, "of"), &model, err) != 0)
		return ERR_FAIL;
	for (size_t i = 0; i < json_array_size(parts); i++) {
		json_t *part = json_array_get(parts, i);

		if (!json_is_array(part)) {
			if (read_plain(part, out, err) != 0)
				return ERR_FAIL;
			continue;
		}
		const struct bytes_entry *e = bytes_at(p, model);
		json_int_t from = json_integer_value(json_array_get(part, 0));
		json_int_t len = json_integer_value(json_array_get(part, 1));
		if (from < 0 || len < 0 || (uint64_t)from > e->len ||
		    (uint64_t)len > e->len - (size_t)from)
			return err_set(err, "part %zu lies outside of the bytes it is of", i + 1);
		buf_add(out, e->data + from, (size_t)len);
	}
	return 0;
}

int bytes_from_json(struct bytes_pool *p, json_t *j, size_t *index, struct err *err)
{
	struct buf b = BUF_INIT;
	int rc = 0;

	if (json_object_get(j, "bytes") != NULL)
		return numbered(p, json_object_get(j, "bytes"), index, err);
	if (json_object_get(j, "of") != NULL)
		rc = read_parts(p, j, &b, err);
	else
		rc = read_plain(j, &b, err);
	if (rc == 0)
		*index = bytes_add(p, b.data, b.len);
	buf_release(&b);
	return rc;
}

int bytes_read_shared(struct bytes_pool *p, json_t *line, struct err *err)
{
	size_t index = 0;
	json_int_t n = json_integer_value(json_object_get(line, "bytes"));

	if (n != (json_int_t)p->numbered.n + 1)
		return err_set(err, "bytes %lld are out of order, %zu are next", (long long)n,
			       p->numbered.n + 1);
	if (json_object_get(line, "is") == NULL || json_object_size(line) != 2)
		return err_set(err, "\"bytes\" wants \"is\"");
	if (bytes_from_json(p, json_object_get(line, "is"), &index, err) != 0)
		return ERR_FAIL;
	vec_push(&p->numbered, index);
	return 0;
}
