# Rejoinder. `make` builds the engine for the CPU it runs on; `make help` lists the other targets.
# `make`, `make run` and `make bench` also work from cmd.exe. Every other target needs a POSIX shell,
# not necessarily bash.

.DEFAULT_GOAL := build

EXE ?= rejoinder
STUDY_EXE ?= rejoinder-study
CPU ?= native

ifneq ($(filter Windows_NT,$(OS))$(findstring windows,$(TRIPLE)),)
SUFFIX := .exe
endif
BINARY := $(EXE:.exe=)$(SUFFIX)
STUDY := $(STUDY_EXE:.exe=)$(SUFFIX)
TOOLS := rejoinder-tools$(SUFFIX)
LAB := rejoinder-lab$(SUFFIX)
# $(call IN,path,folder/): an absolute path, with a slash in front or a drive such as C: under Windows,
# is in no folder. $(abspath) would split a path with a space in it.
IN = $(if $(filter /%,$(1))$(findstring :,$(1)),,$(2))$(1)
RUNNABLE = $(call IN,$(1),./)
ABSOLUTE = $(call IN,$(1),$(CURDIR)/)
RUN := $(call RUNNABLE,$(BINARY))
RUN_STUDY := $(call RUNNABLE,$(STUDY))
TARGET := target/$(CPU)

# If make finds no sh.exe under Windows, it calls cmd.exe, which has no cp and wants backslashes.
ifneq ($(and $(filter Windows_NT,$(OS)),$(filter sh.exe cmd %cmd.exe,$(SHELL))),)
RUN := $(subst /,\,$(RUN))
RUN_STUDY := $(subst /,\,$(RUN_STUDY))
COPY = copy /y $(subst /,\,$(1) $(2)) > nul
else
COPY = cp -f $(1) $(2)
endif

CARGO_BUILD := cargo build --release --locked $(if $(FEATURES),--features $(FEATURES))

ifdef EVALFILE
export REJOINDER_EVALFILE := $(call ABSOLUTE,$(EVALFILE))
endif

# Profile-guided builds. With --target the flags do not reach build scripts, which would otherwise
# leave profiles of their own.
HOST = $(shell rustc --print host-tuple)
SYSROOT = $(shell rustc --print sysroot)
TRIPLE ?= $(HOST)
PROFDATA ?= $(firstword $(wildcard $(addprefix $(SYSROOT)/lib/rustlib/$(HOST)/bin/llvm-profdata,.exe) \
	$(SYSROOT)/lib/rustlib/$(HOST)/bin/llvm-profdata))
PROFILED = $(if $(filter Windows_NT,$(OS)),,RUSTC_WORKSPACE_WRAPPER="$(CURDIR)/.ci/rustc-for-dist") \
	RUSTFLAGS="$(strip $(RUSTFLAGS) -C target-cpu=$(CPU) -C symbol-mangling-version=v0 $(1))" \
	$(CARGO_BUILD) --target $(TRIPLE) --target-dir $(TARGET)/pgo
PROFILED_BINARY = $(TARGET)/pgo/$(TRIPLE)/release/rejoinder$(SUFFIX)
# PROFILE=folder uses the profile of another build.
ifndef PROFILE
PROFILE := $(CURDIR)/$(TARGET)/profile
pgo pgo-study pgo-tools: profile
COMPARE = EXE=$(PROFILED_BINARY) ./bench.sh $$(sed -n '$$s/ nodes .*//p' "$(PROFILE)/bench")
else
# Code for files and memory differs between systems, so warnings about a mismatch say nothing here.
SILENT := -C llvm-args=-no-pgo-warn-mismatch
endif

.PHONY: web web-programs web-run web-test
.PHONY: build study page serve tools lab pgo pgo-study pgo-tools profile dist archives check-dist openbench run bench lab-cost check sprt hooks test lint doc
.PHONY: perft clients terminal mates order endings torture latency memory infinite soak tsan asan miri fuzz clean help
.DELETE_ON_ERROR:

# The flags are passed by RUSTFLAGS because they must reach the library too. Those of `cargo rustc`
# would reach only the thin binary around it.
ifeq ($(origin RUSTFLAGS),command line)
override RUSTFLAGS += -C target-cpu=$(CPU)
export RUSTFLAGS
else
# Make 3.81 of macOS does not know `override export`.
build study tools lab: export RUSTFLAGS := $(strip $(RUSTFLAGS) -C target-cpu=$(CPU))
endif
build:
	$(CARGO_BUILD) --target-dir $(TARGET)
	@$(call COPY,$(TARGET)/release/rejoinder$(SUFFIX),$(BINARY))

# Live analysis and annotated games.
study:
	$(CARGO_BUILD) --package rejoinder-study --target-dir $(TARGET)
	@$(call COPY,$(TARGET)/release/rejoinder-study$(SUFFIX),$(STUDY))

# The same program with the analysis page inside, opened in the browser. GAMES names a file or folder.
serve: page
	REJOINDER_PAGE="$(CURDIR)/target/page" $(MAKE) study
	$(RUN_STUDY) serve $(GAMES)

page:
	$(call NEEDED,python3,python3,wasm32-wasip1)
	python3 web/collect.py target/page --native

tools:
	$(CARGO_BUILD) --package rejoinder-tools --target-dir $(TARGET)
	@$(call COPY,$(TARGET)/release/rejoinder-tools$(SUFFIX),$(TOOLS))

# The experiments have a target directory of their own, because their cargo features would rebuild
# the engine each time.
lab:
	$(CARGO_BUILD) --package rejoinder-lab --target-dir $(TARGET)/lab
	@$(call COPY,$(TARGET)/lab/release/rejoinder-lab$(SUFFIX),$(LAB))

pgo:
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata $(SILENT))
	$(COMPARE)
	@mkdir -p $(dir $(BINARY))
	@$(call COPY,$(PROFILED_BINARY),$(BINARY))

# The other programs, optimized with the profile of the engine.
pgo-study:
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata $(SILENT)) --package rejoinder-study
	@mkdir -p $(dir $(STUDY))
	@$(call COPY,$(TARGET)/pgo/$(TRIPLE)/release/rejoinder-study$(SUFFIX),$(STUDY))

pgo-tools:
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata $(SILENT)) --package rejoinder-tools
	@$(call COPY,$(TARGET)/pgo/$(TRIPLE)/release/rejoinder-tools$(SUFFIX),$(TOOLS))

# The profile of the search comes from `bench`; `kernels` adds the evaluation loops that other CPUs
# will choose.
profile:
	@test -x "$(PROFDATA)" || { echo "make pgo needs llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
	@test "$(words $(CURDIR))" = 1 || { echo "make pgo needs a folder without a space in its path, not $(CURDIR)" >&2; exit 1; }
	rm -rf $(TARGET)/profile
	$(call PROFILED,-C profile-generate=$(PROFILE))
	$(PROFILED_BINARY) bench > $(TARGET)/bench
	$(PROFILED_BINARY) kernels > $(TARGET)/kernels
	$(PROFDATA) merge -o $(TARGET)/profile/merged.profdata $(TARGET)/profile/*.profraw
	@mv $(TARGET)/bench $(TARGET)/profile

# Programs for other machines: linked statically and named after the version. A program that cannot
# run here is optimized with the profile of a Linux build that can.
DIST := linux-x86-64-v2 linux-x86-64-v3 linux-x86-64-v4 linux-aarch64 windows-x86-64-v2 windows-x86-64-v3
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
DIST_PGO = $(MAKE) pgo pgo-study EXE=dist/rejoinder-$(VERSION)-$(@:dist-%=%) \
	STUDY_EXE=dist/rejoinder-study-$(VERSION)-$(@:dist-%=%)
DIST_BUILD = $(DIST_PGO) RUSTFLAGS="$(strip $(RUSTFLAGS) -C target-feature=+crt-static)"
AVX512 = $(shell grep -m 1 -ow avx512vl /proc/cpuinfo)
# $(call NEEDED,program,Debian package that has it,Rust target): stops if one of them is missing.
NEEDED = @command -v $(1) > /dev/null || { echo "$@ needs $(1): apt install $(2)" >&2; exit 1; }; \
	test -d "$(SYSROOT)/lib/rustlib/$(3)" || { echo "$@ needs: rustup target add $(3)" >&2; exit 1; }

dist:
	$(MAKE) -k $(DIST:%=dist-%)
	$(MAKE) archives

# An archive for each platform that dist/ has programs for, and their checksums.
archives:
	tools/archives.py

dist-linux-x86-64-v2 dist-linux-x86-64-v3: dist-linux-%:
	+$(DIST_BUILD) CPU=$*

dist-linux-x86-64-v4: dist-linux-x86-64-v3
	+$(DIST_BUILD) CPU=x86-64-v4 $(if $(AVX512),,PROFILE="$(CURDIR)/target/x86-64-v3/profile")

dist-linux-aarch64: dist-linux-x86-64-v2
	$(call NEEDED,aarch64-linux-gnu-gcc,gcc-aarch64-linux-gnu,aarch64-unknown-linux-gnu)
	+CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	$(DIST_BUILD) CPU=generic TRIPLE=aarch64-unknown-linux-gnu PROFILE="$(CURDIR)/target/x86-64-v2/profile"

dist-windows-x86-64-v2 dist-windows-x86-64-v3: dist-windows-%: dist-linux-%
	$(call NEEDED,x86_64-w64-mingw32-gcc,mingw-w64,x86_64-pc-windows-gnu)
	+$(DIST_BUILD) CPU=$* TRIPLE=x86_64-pc-windows-gnu PROFILE="$(CURDIR)/target/$*/profile"

# Only a Mac links programs for macOS.
dist-macos-aarch64:
	+$(DIST_PGO) CPU=apple-m1

# Runs each program on its own kind of machine or on an emulator of it: the signature, a game, and
# the refusal of a CPU that is too old.
check-dist:
	cargo test --locked --test dist -- --ignored --nocapture

# Repeats what the client of OpenBench does with an engine.
openbench:
	python3 tests/openbench.py

# Patterns cannot be phony; this makes them so.
FORCE:

run: study
	$(RUN_STUDY) analyze --seconds 5

bench: build
	$(RUN) bench

# The analysis page: a folder that any web server serves. PORT is the port of web-run.
PORT ?= 8000
web: web-programs
	node web/build.mjs target/web

web-run: web
	node web/serve.mjs target/web $(PORT)

# Needs Chromium; CHROMIUM=path names it. The pictures are left in target/web-screenshots.
web-test: web/node_modules/.package-lock.json web page build
	REJOINDER_PAGE="$(CURDIR)/target/page" $(MAKE) study
	$(if $(CHROMIUM),CHROMIUM=$(CHROMIUM)) NATIVE="$(call ABSOLUTE,$(BINARY))" STUDY="$(call ABSOLUTE,$(STUDY))" node --test --test-concurrency=1 web/test/*.test.mjs

web-programs:
	$(call NEEDED,node,nodejs,wasm32-wasip1)
	$(call NEEDED,python3,python3,wasm32-wasip1-threads)

# Only the tests need npm.
web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	$(call NEEDED,npm,npm,wasm32-wasip1)
	npm ci --prefix web --no-audit --no-fund

# Shows that the default build contains no code of the socket for experiments.
lab-cost:
	tests/lab_cost.sh

lint:
	cargo fmt --check
	cargo clippy --locked --all-targets --package rejoinder --package rejoinder-study --package rejoinder-tools --package rejoinder-web --package rejoinder-reader -- -D warnings
	cargo clippy --locked --all-targets --package rejoinder --package rejoinder-lab --features rejoinder/hook,rejoinder/tune -- -D warnings

# README.md is the front page of the code's documentation. The pages that it links to are put beside
# it, so that its links work there as they do in the repository.
doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace
	mkdir -p target/doc/rejoinder/networks target/doc/rejoinder/tests target/doc/rejoinder/web/page
	cp -R docs openbench CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE target/doc/rejoinder/
	cp networks/README.md target/doc/rejoinder/networks/
	cp tests/README.md target/doc/rejoinder/tests/
	cp web/page/icon.svg target/doc/rejoinder/web/page/

# The tests that take minutes, for work in between; `make test` is the whole proof.
check: lint
	cargo test --locked --package rejoinder --package rejoinder-study --package rejoinder-tools --package rejoinder-reader --lib
	cargo test --locked --test sources

# Is the working tree stronger than another commit? The script explains its variables.
sprt:
	tests/sprt.sh

# Lets git check and complete the messages of commits.
hooks:
	git config core.hooksPath .githooks

# Goes on after a failure; its last line has the sums.
test:
	+@MAKE="$(MAKE)" EXE="$(RUN)" NATIVE="$(call ABSOLUTE,$(BINARY))" tests/all.sh

perft:
	cargo test --release --locked --test chess perft:: -- --ignored --nocapture

# ---- Checks that take longer ----

# Four-piece endings against best defense, and damaged tablebases.
endings:
	cargo test --release --locked --test syzygy -- --ignored --nocapture

# NODES limits the search of each position; STRIDE=10 takes every tenth position.
mates:
	cargo test --locked --test chess mates:: -- --ignored --nocapture

# These tests run the program that people play with, not a test build.
PROVE = REJOINDER_EXE="$(call ABSOLUTE,$(BINARY))" cargo test --locked --test conversation

order: build
	$(PROVE) reports_of_many -- --ignored --nocapture

# MINUTES sets the length; SEED repeats a conversation.
torture: build
	$(PROVE) a_long_torture -- --ignored --nocapture

# TRIES sets the number of measurements.
latency: build
	$(PROVE) ten_milliseconds -- --ignored --nocapture

memory: build
	$(PROVE) gigabytes -- --ignored --nocapture --test-threads 1
	$(PROVE) sixteen_megabytes -- --ignored --nocapture

# MINUTES sets the length.
infinite: build
	$(PROVE) an_infinite_search -- --ignored --nocapture

# The script explains its variables FASTCHESS, BOOK and GAMES.
soak: build
	EXE="$(call ABSOLUTE,$(BINARY))" tests/soak.sh

# The usual conversations with a program that was built with a sanitizer. Tests that limit its memory
# or its time closely are left out.
SANITIZER_HOST = $(shell rustc +nightly -vV | sed -n 's/^host: //p')
tsan: sanitize-thread
asan: sanitize-address

sanitize-%: FORCE
	RUSTFLAGS="-Zsanitizer=$*" cargo +nightly build --locked -Zbuild-std --target $(SANITIZER_HOST) --target-dir target/$*
	REJOINDER_EXE="$(CURDIR)/target/$*/$(SANITIZER_HOST)/debug/rejoinder" REJOINDER_SANITIZED=1 \
	TSAN_OPTIONS="halt_on_error=1 exitcode=66" ASAN_OPTIONS="detect_leaks=1" \
		cargo test --locked --test conversation -- --nocapture --skip memory --skip resources --skip readyok --skip at_once --skip quit_does_not_wait --skip infinite_means

# Tests that take hours under an interpreter are left out. The order of memory accesses is checked
# by loom (tests/threads/mailbox.rs and the unit tests of src/tt/slot.rs), not here.
miri:
	MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-disable-weak-memory-emulation" PROPTEST_CASES=2 \
		cargo +nightly miri test --locked --target-dir target/miri --lib -- types:: board::fen board::make board::legality tt::entry tt::tests memory:: shared:: \
		$(addprefix --skip ,all_parts any_size hashfull the_age_goes streams_do_not)

FUZZ = fen uci network games epd pgn request
SECONDS ?= 60

# Needs a nightly compiler and `cargo install cargo-fuzz`. Inputs that fail are kept in fuzz/artifacts.
fuzz: $(FUZZ:%=fuzz-%)

fuzz-%: FORCE
	@mkdir -p fuzz/corpus/$*
	cargo +nightly fuzz run $* fuzz/corpus/$* tests/data/corpus/$* -- -max_total_time=$(SECONDS) -max_len=4096 -print_final_stats=1

# python-chess, fastchess (FASTCHESS=path), xboard with polyglot, GNOME Chess: those that are
# installed.
clients: build
	ENGINE=$(RUN) tests/clients/run.sh

# The live picture of an analysis, in tmux.
terminal: build study
	ENGINE=$(RUN) STUDY=$(RUN_STUDY) python3 study/tests/terminal.py

clean:
	cargo clean
	rm -rf dist
	rm -f $(BINARY) $(STUDY) $(TOOLS) $(LAB)

help:
	@echo "Build:"
	@echo "  make             the engine for this CPU, ./$(BINARY)"
	@echo "  make study       ./$(STUDY): live analysis, annotated games"
	@echo "  make tools       ./$(TOOLS): self-play games, training, matches, tuning"
	@echo "  make lab         ./$(LAB): experiments in move ordering"
	@echo "  make pgo         the engine, optimized with a profile of bench: about 8% faster (needs llvm-tools)"
	@echo "  make pgo-study   ./$(STUDY) with the same profile; make pgo-tools: ./$(TOOLS)"
	@echo "  make dist        programs for other machines, and archives with checksums, in dist/"
	@echo "  make web         the analysis page, target/web; make web-run serves it"
	@echo "  make doc         the documentation of the code, target/doc/rejoinder/index.html"
	@echo "  make clean       remove what was built"
	@echo "Run:"
	@echo "  make run         build $(STUDY), then analyze the start position for five seconds on every core"
	@echo "  make bench       build, then print speed and signature"
	@echo "Check:"
	@echo "  make test        format, lints, all tests, and the signature against tests/data/signature"
	@echo "  make lint        format and lints only"
	@echo "  make check       format, lints and the unit tests, in minutes"
	@echo "  make sprt BASE=main  play against that commit until a sequential test decides"
	@echo "  make hooks       let git add or check the line 'Bench: N' of each commit"
	@echo "  make check-dist  run each program of make dist, under qemu or wine where it must"
	@echo "  make openbench   repeat what the OpenBench client does"
	@echo "Checks that take longer are described in tests/README.md."
	@echo "Variables:"
	@echo "  EXE=name         name of the engine's program"
	@echo "  CPU=x86-64-v2    build for a different CPU"
	@echo "  EVALFILE=path    embed this network instead of networks/rejoinder.rjn"
	@echo "  REJOINDER_SHARED=path  use this folder instead of ../shared; what it lacks is skipped"
	@echo "  FEATURES=tune    expose the search parameters as UCI options"
