#include "cmd/cmd.h"
#include "report/table.h"

void cmd_put_table(struct cmd_context *c, struct table *t)
{
	struct buf b = BUF_INIT;

	table_render(t, (size_t)c->columns, &b);
	(void)fwrite(buf_str(&b), 1, b.len, c->out);
	table_release(t);
	buf_release(&b);
}
