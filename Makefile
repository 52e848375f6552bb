# lampduel: build, test, install. GNU Make.
#   make                        build/lampduel and its launcher
#   make check                  unit and command-line tests
#   make SANITIZE=address,undefined check
#   make DEVELOPER=1 CC=clang   warnings are errors
#   make lint                   format, static analysis, shell scripts, warnings of both compilers
#   make install DESTDIR= prefix=/usr/local, make uninstall, make dist, make clean
# Every .c file in src/MODULE/ belongs to the library, every test/unit/test_*.c is a test program.

VERSION := 0.1.0
prefix ?= /usr/local
bindir ?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec/lampduel
datadir ?= $(prefix)/share/lampduel
mandir ?= $(prefix)/share/man
docdir ?= $(prefix)/share/doc/lampduel

CC ?= cc
CFLAGS ?= -O2 -g
PKG_CONFIG ?= pkg-config
PACKAGES := sqlite3 libcurl jansson inih gsl zlib

# each set of flags has its own folder, so that switching between them rebuilds nothing
BUILD ?= build$(if $(SANITIZE),/sanitize)$(if $(filter clang%,$(notdir $(CC))),/clang)

pkg_cflags := $(shell $(PKG_CONFIG) --cflags $(PACKAGES) 2>/dev/null)
pkg_libs := $(shell $(PKG_CONFIG) --libs $(PACKAGES) 2>/dev/null || echo MISSING)

ALL_CPPFLAGS = -D_GNU_SOURCE -DLAMPDUEL_VERSION='"$(VERSION)"' -Isrc $(CPPFLAGS)
ALL_CFLAGS = -std=c11 -pthread $(pkg_cflags) $(CFLAGS)
ALL_LDFLAGS = -pthread $(LDFLAGS)
ALL_LIBS = $(pkg_libs) -lm
WARNINGS := -Wall -Wextra -Wshadow -Wformat=2 -Wmissing-prototypes -Wstrict-prototypes -Wvla
ifdef DEVELOPER
ALL_CFLAGS += $(WARNINGS) -Werror
endif
ifdef SANITIZE
ALL_CFLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=$(SANITIZE)
endif

modules := base facts store stats parse system collect stack workload compare measure report cmd
lib_sources := $(foreach m,$(modules),$(wildcard src/$(m)/*.c))
lib_objects := $(lib_sources:%.c=$(BUILD)/%.o)
unit_sources := $(wildcard test/unit/test_*.c)
unit_programs := $(unit_sources:test/unit/%.c=$(BUILD)/unit/%)
unit_helpers := $(filter-out $(unit_sources),$(wildcard test/unit/*.c))

# one short line a command; V=1 shows the commands themselves
say = $(if $(V),,@printf '  %-3s %s\n' $(1) $(2); )

all: $(BUILD)/lampduel $(BUILD)/lampduel-launcher

$(BUILD)/liblampduel.a: $(lib_objects)
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^

$(BUILD)/lampduel: $(BUILD)/src/main.o $(BUILD)/liblampduel.a
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

# The launcher runs inside any installation, so it is static and needs none of its libraries; it is
# never sanitized: what it costs is part of the measurement.
$(BUILD)/lampduel-launcher: $(wildcard src/launcher/*.c src/launcher/*.h)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -std=c11 -D_GNU_SOURCE -O2 -g $(if $(DEVELOPER),$(WARNINGS) -Werror) -static -Isrc -o $@ $(filter %.c,$^)

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@[ "$(pkg_libs)" != MISSING ] || { echo "make: development files are missing; ./quickstart installs them, or see README.md (needed: $(PACKAGES))" >&2; exit 1; }
	$(call say,CC,$@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/unit/%: $(BUILD)/test/unit/%.o $(unit_helpers:%.c=$(BUILD)/%.o) $(BUILD)/liblampduel.a
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(ALL_LIBS)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

unit-programs: $(unit_programs) $(BUILD)/lampduel-launcher

check: check-unit check-cli

check-unit: unit-programs
	@failed=0; for t in $(unit_programs); do "$$t" || failed=1; done; exit $$failed

bats = LAMPDUEL="$(abspath $(BUILD))/lampduel" bats $(if $(BATS_FORMAT),-F $(BATS_FORMAT))

check-cli: all
	$(bats) test/cli

# real installations are unpacked (into the user's cache) and measured
check-live: all
	$(bats) test/live

# What lampduel itself costs; on an otherwise idle machine.
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/liblampduel.a
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/bench/report_cost: $(BUILD)/test/unit/example.o

$(BUILD)/bench/compare_cost: $(BUILD)/test/unit/duel.o

bench: $(BUILD)/bench/launch_cost $(BUILD)/bench/report_cost $(BUILD)/bench/compare_cost $(BUILD)/bench/parse_cost all bench-aa
	$(BUILD)/bench/launch_cost
	$(BUILD)/bench/report_cost $(BUILD)/lampduel
	$(BUILD)/bench/compare_cost
	$(BUILD)/bench/parse_cost test/parse
	bench/first_sample.sh $(BUILD)/lampduel

# How often a command compared with itself gets a wrong verdict, beside hyperfine: some 6 minutes.
bench-aa: $(BUILD)/bench/welch all
	bench/aa.sh $(BUILD)/lampduel $(BUILD)/bench/welch

# How often the verdicts are right: the table of doc/statistics.md. Some minutes on two cores.
$(BUILD)/test/simulate/simulate.o: ALL_CPPFLAGS += -Itest/unit

$(BUILD)/simulate: $(BUILD)/test/simulate/simulate.o $(BUILD)/test/unit/cells.o $(BUILD)/test/unit/duel.o $(BUILD)/liblampduel.a
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(ALL_LIBS)

simulate: $(BUILD)/simulate
	$(BUILD)/simulate $(TRIALS)

# Fuzzers: one for each reader of pasted outputs, one for all, one for what lies below them, one for
# lampduel's own JSON. The fixtures of the tests and test/fuzz/seeds are their first corpus; what they find is kept in build/fuzz/corpus.
FUZZ_SECONDS ?= 3
fuzzers := $(patsubst test/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard test/fuzz/fuzz_*.c))
fuzz_sources := test/fuzz/common.c $(wildcard src/parse/*.c) $(foreach f,buf err jsonx mem outcome text vec,src/base/$(f).c) \
	$(wildcard src/store/exchange_*.c) src/store/experiment.c $(wildcard src/facts/fact*.c src/facts/elf*.c)
fuzz_objects := $(fuzz_sources:%.c=$(BUILD)/fuzz/obj/%.o)
FUZZ_FLAGS := -std=c11 -D_GNU_SOURCE -DLAMPDUEL_VERSION='"$(VERSION)"' $(pkg_cflags) -Isrc -Itest/fuzz -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all

$(BUILD)/fuzz/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

$(BUILD)/fuzz/%: $(BUILD)/fuzz/obj/test/fuzz/%.o $(fuzz_objects)
	clang $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ -ljansson -lm

fuzz: $(fuzzers)

fuzz-smoke: $(fuzzers)
	@for f in $(fuzzers); do \
		mkdir -p $(BUILD)/fuzz/corpus/$${f##*/}; \
		$$f -max_total_time=$(FUZZ_SECONDS) -timeout=1 -max_len=65536 -verbosity=0 -print_final_stats=0 \
			-artifact_prefix=$(BUILD)/fuzz/ $(BUILD)/fuzz/corpus/$${f##*/} test/parse test/fuzz/seeds || exit 1; \
	done

# clang-format's versions do not agree with each other: 14 is the one that counts
sources := $(wildcard src/*.c src/*/*.c bench/*.c src/*/*.h test/unit/*.c test/unit/*.h test/simulate/*.c test/fuzz/*.c test/fuzz/*.h)
scripts := quickstart runtests scripts/setup.sh .ci/run $(wildcard bench/*.sh scripts/*.sh test/*/*.bats test/*/*.bash)
clang_format := $(firstword $(foreach f,clang-format-14 clang-format,$(if $(findstring version 14.,$(shell $(f) --version 2>/dev/null)),$(f))))

lint: lint-format lint-layers lint-cppcheck lint-scripts lint-gcc lint-clang

lint-format:
	@$(if $(clang_format),$(clang_format) --dry-run -Werror $(sources),echo "lint: no clang-format 14 here: the format is not checked")

lint-layers:
	@scripts/check-layers.sh

lint-cppcheck:
	@mkdir -p $(BUILD)/lint/cppcheck
	@cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,portability,performance \
		--inline-suppr --suppress=normalCheckLevelMaxBranches \
		--cppcheck-build-dir=$(BUILD)/lint/cppcheck -D_GNU_SOURCE --include=scripts/cppcheck.h -Isrc src

lint-scripts:
	@shellcheck -x $(scripts)

# folders of their own, so that every file is seen with every warning, and the next time only what changed
lint-gcc:
	@$(MAKE) --no-print-directory CC=gcc DEVELOPER=1 BUILD=$(BUILD)/lint/gcc all unit-programs

lint-clang:
	@$(MAKE) --no-print-directory CC=clang DEVELOPER=1 BUILD=$(BUILD)/lint/clang all unit-programs

# lampduel finds share/ and its launcher from its own place: keep the folders beside each other
shared := $(shell find share -type f ! -name '.*' 2>/dev/null)
manuals := $(wildcard man/*.[1-9])
documents := $(wildcard README.md COPYING doc/*.md doc/*.json)

install: all
	install -d "$(DESTDIR)$(bindir)" "$(DESTDIR)$(libexecdir)" "$(DESTDIR)$(datadir)"
	install -m 755 $(BUILD)/lampduel "$(DESTDIR)$(bindir)/lampduel"
	install -m 755 $(BUILD)/lampduel-launcher "$(DESTDIR)$(libexecdir)/lampduel-launcher"
	$(foreach f,$(shared),install -D -m 644 $(f) "$(DESTDIR)$(datadir)/$(f:share/%=%)"$(newline))
	$(foreach f,$(manuals),install -D -m 644 $(f) "$(DESTDIR)$(mandir)/man$(patsubst .%,%,$(suffix $(f)))/$(notdir $(f))"$(newline))
	$(foreach f,$(documents),install -D -m 644 $(f) "$(DESTDIR)$(docdir)/$(notdir $(f))"$(newline))

uninstall:
	rm -f "$(DESTDIR)$(bindir)/lampduel"
	$(foreach f,$(manuals),rm -f "$(DESTDIR)$(mandir)/man$(patsubst .%,%,$(suffix $(f)))/$(notdir $(f))"$(newline))
	rm -rf "$(DESTDIR)$(libexecdir)" "$(DESTDIR)$(datadir)" "$(DESTDIR)$(docdir)"

dist:
	git archive --prefix=lampduel-$(VERSION)/ HEAD | gzip -9n >lampduel-$(VERSION).tar.gz

clean:
	rm -rf build lampduel-$(VERSION).tar.gz

# a line of its own in a recipe made by foreach
define newline


endef

.PHONY: all bench bench-aa fuzz fuzz-smoke simulate check check-unit check-cli check-live unit-programs lint lint-format \
	lint-layers lint-cppcheck \
	lint-scripts lint-gcc lint-clang install uninstall dist clean
.SECONDARY:
