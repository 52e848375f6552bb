/* What of a machine has to do with its storage and with what it really is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/text.h"
#include "facts/lines.h"
#include "facts/machine.h"

/* Is dir the folder path lies in, as whole components? */
static bool holds(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	if (strcmp(dir, "/") == 0)
		return true;
	return strncmp(dir, path, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

void machine_mount_release(struct machine_mount *m)
{
	free(m->source);
	free(m->type);
	free(m->options);
	free(m->device);
	*m = (struct machine_mount){0};
}

/*
 * A line of mountinfo (proc(5)): "36 35 98:0 /root /mount/point options [tags] - type source
 * super".
 */
bool machine_mount_of(const char *mountinfo, const char *path, struct machine_mount *out)
{
	struct line l;
	size_t longest = 0;
	bool found = false;

	*out = (struct machine_mount){0};
	while (lines_next(&mountinfo, &l)) {
		char *line = mem_strndup(l.at, l.len);
		char *dash = strstr(line, " - ");
		char device[32];
		char point[4096];
		char options[1024];
		char type[64];
		char source[1024];

		if (dash != NULL &&
		    sscanf(line, "%*s %*s %31s %*s %4095s %1023s", device, point, options) == 3 &&
		    sscanf(dash + 3, "%63s %1023s", type, source) == 2 && holds(point, path) &&
		    strlen(point) >= longest) {
			longest = strlen(point);
			found = true;
			mem_replace(&out->source, mem_strdup(source));
			mem_replace(&out->type, mem_strdup(type));
			mem_replace(&out->options, mem_strdup(options));
			mem_replace(&out->device, mem_strdup(device));
		}
		free(line);
	}
	return found;
}

/* A sysfs value: its only line; "" when there is none. */
static char *value(const char *text)
{
	struct line l;

	return text != NULL && lines_next(&text, &l) ? lines_text(l) : mem_strdup("");
}

static const char *card_maker(unsigned long id)
{
	/* numbers that cards in circulation show; the register itself is not public */
	static const struct {
		unsigned long id;
		const char *name;
	} known[] = {
		{0x02, "Toshiba"},   {0x03, "SanDisk"},  {0x1b, "Samsung"},
		{0x27, "Phison"},    {0x28, "Lexar"},    {0x41, "Kingston"},
		{0x74, "Transcend"}, {0x9f, "Kingston"}, {0xad, "Longsys"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].id == id)
			return known[i].name;
	}
	return NULL;
}

/* "timing spec:\t5 (sd uhs SDR50)" and "clock:\t\t50000000 Hz" of debugfs' ios. */
static void add_bus(struct buf *b, const char *ios)
{
	char *timing = lines_find(ios, "timing spec", ":");
	char *clock = lines_find(ios, "clock", ":");
	const char *open = timing == NULL ? NULL : strchr(timing, '(');
	const char *close = open == NULL ? NULL : strchr(open, ')');
	unsigned long hz = clock == NULL ? 0 : strtoul(clock, NULL, 10);

	if (close != NULL) {
		char *mode = mem_strndup(open + 1, (size_t)(close - open) - 1);
		bool uhs = text_starts(mode, "sd uhs ");

		buf_addf(b, "%s%s%s", b->len == 0 ? "" : ", ", uhs ? "UHS-I " : "",
			 uhs ? mode + strlen("sd uhs ") : mode);
		free(mode);
	}
	if (hz >= 1000000)
		buf_addf(b, "%s%lu MHz",
			 close != NULL ? " at "
			 : b->len == 0 ? ""
				       : ", ",
			 hz / 1000000);
	free(timing);
	free(clock);
}

char *machine_card(const char *name, const char *type, const char *date, const char *maker,
		   const char *ios)
{
	struct buf b = BUF_INIT;
	char *n = value(name);
	char *t = value(type);
	char *d = value(date);
	char *m = value(maker);
	unsigned long id = strtoul(m, NULL, 16);

	if (n[0] != '\0' || t[0] != '\0')
		buf_addf(&b, "%s card %s", t[0] == '\0' ? "MMC" : t,
			 n[0] == '\0' ? "without a name" : n);
	if (d[0] != '\0' && b.len > 0)
		buf_addf(&b, ", made %s", d);
	if (id != 0 && b.len > 0) {
		const char *known = card_maker(id);

		buf_addf(&b, ", maker 0x%02lx%s%s%s", id, known == NULL ? "" : " (",
			 known == NULL ? "" : known, known == NULL ? "" : ")");
	}
	if (ios != NULL)
		add_bus(&b, ios);
	free(n);
	free(t);
	free(d);
	free(m);
	if (b.len > 0)
		return buf_detach(&b);
	buf_release(&b);
	return NULL;
}

char *machine_virtual(const char *vendor, const char *product, const char *hypervisor, bool cpu_bit,
		      const char *board)
{
	static const struct {
		const char *word, *name;
	} known[] = {
		{"QEMU", "QEMU"},
		{"KVM", "KVM"},
		{"Amazon EC2", "Amazon EC2"},
		{"Google Compute", "Google Compute Engine"},
		{"VMware", "VMware"},
		{"VirtualBox", "VirtualBox"},
		{"innotek", "VirtualBox"},
		{"Virtual Machine", "Hyper-V"},
		{"Xen", "Xen"},
		{"HVM domU", "Xen"},
		{"BHYVE", "bhyve"},
		{"Hetzner", "Hetzner Cloud (KVM)"},
		{"Droplet", "DigitalOcean (KVM)"},
		{"OpenStack", "OpenStack (KVM)"},
		{"Firecracker", "Firecracker"},
	};
	char *h = value(hypervisor);
	char *text =
		mem_printf("%s %s", vendor == NULL ? "" : vendor, product == NULL ? "" : product);
	char *found = NULL;

	if (h[0] != '\0')
		found = mem_strdup(text_equal(h, "xen") ? "Xen" : h);
	for (size_t i = 0; found == NULL && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strstr(text, known[i].word) != NULL)
			found = mem_strdup(known[i].name);
	}
	/* the model of the board that QEMU makes up, with KVM or without */
	if (found == NULL && board != NULL && strstr(board, "dummy-virt") != NULL)
		found = mem_printf("a virtual machine (%s)", board);
	if (found == NULL && cpu_bit)
		found = mem_strdup("a virtual machine");
	/* DMI of a real machine names its maker; a board's device tree is read from its firmware */
	if (found == NULL && (board != NULL || text[0] != ' '))
		found = mem_strdup("none");
	free(h);
	free(text);
	return found;
}

char *machine_container(const char *container, const char *cgroup)
{
	static const char *const words[] = {"docker", "lxc",           "kubepods",
					    "libpod", "machine.slice", NULL};
	char *named = value(container);

	if (named[0] != '\0')
		return named;
	free(named);
	for (size_t i = 0; cgroup != NULL && words[i] != NULL; i++) {
		if (strstr(cgroup, words[i]) != NULL)
			return mem_strdup(words[i]);
	}
	return NULL;
}
