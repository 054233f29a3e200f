# Rejoinder. `make` builds the engine for the CPU it runs on; `make help` lists the other targets.
# `make`, `make run` and `make bench` also work from cmd.exe; other targets need a POSIX shell.

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
# $(call IN,path,folder/): an absolute path, also one with a drive such as C:, is in no folder.
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

RARE := perft endings mates order torture latency memory infinite soak tsan asan miri fuzz clients terminal lab-cost openbench
.PHONY: build study page serve tools lab pgo pgo-study pgo-tools profile dist archives check-dist run bench web web-programs web-run web-test \
	lint doc check sprt hooks test rare $(RARE) clean help
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

study tools:
	$(CARGO_BUILD) --package rejoinder-$@ --target-dir $(TARGET)
	@$(call COPY,$(TARGET)/release/rejoinder-$@$(SUFFIX),$(if $(filter study,$@),$(STUDY),$(TOOLS)))

# The same program with the analysis page inside, opened in the browser. GAMES names a file or folder.
serve: page
	REJOINDER_PAGE="$(CURDIR)/target/page" $(MAKE) study
	$(RUN_STUDY) serve $(GAMES)

page:
	$(call NEEDED,python3,python3,wasm32-wasip1)
	python3 web/collect.py target/page --native

# A target directory of its own, because its cargo features would rebuild the engine each time.
lab:
	$(CARGO_BUILD) --package rejoinder-lab --target-dir $(TARGET)/lab
	@$(call COPY,$(TARGET)/lab/release/rejoinder-lab$(SUFFIX),$(LAB))

pgo:
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata $(SILENT))
	$(COMPARE)
	@mkdir -p $(dir $(BINARY))
	@$(call COPY,$(PROFILED_BINARY),$(BINARY))

# The other programs, optimized with the profile of the engine.
pgo-study pgo-tools: pgo-%:
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata $(SILENT)) --package rejoinder-$*
	@mkdir -p $(dir $(if $(filter study,$*),$(STUDY),$(TOOLS)))
	@$(call COPY,$(TARGET)/pgo/$(TRIPLE)/release/rejoinder-$*$(SUFFIX),$(if $(filter study,$*),$(STUDY),$(TOOLS)))

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

# $(call NEEDED,program,Debian package that has it,Rust target): stops if one of them is missing.
NEEDED = @command -v $(1) > /dev/null || { echo "$@ needs $(1): apt install $(2)" >&2; exit 1; }; \
	test -d "$(SYSROOT)/lib/rustlib/$(3)" || { echo "$@ needs: rustup target add $(3)" >&2; exit 1; }

# Programs for other machines, and their archives.
include tools/dist.mk

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

# Needs Chromium; CHROMIUM=path names it. Screenshots are left in target/web-screenshots.
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

lint:
	cargo fmt --check
	cargo clippy --locked --all-targets --package rejoinder --package rejoinder-study --package rejoinder-tools --package rejoinder-web --package rejoinder-reader -- -D warnings
	cargo clippy --locked --all-targets --package rejoinder --package rejoinder-lab --features rejoinder/hook,rejoinder/tune -- -D warnings

# README.md is the front page of the code's documentation. The pages that it links to are put beside
# it, so that its links work there as they do in the repository.
doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace
	cp -R docs openbench CONTRIBUTING.md CHANGELOG.md SECURITY.md LICENSE target/doc/rejoinder/
	for file in networks/README.md tests/README.md web/page/icon.svg; do \
		mkdir -p target/doc/rejoinder/$${file%/*} && cp $$file target/doc/rejoinder/$$file; done

# The tests that take minutes, for work in between; `make test` is the whole proof.
check: lint
	cargo test --locked --package rejoinder --package rejoinder-study --package rejoinder-tools --package rejoinder-reader --lib
	cargo test --locked --package rejoinder-web
	cargo test --locked --test sources

# Is the working tree stronger than another commit? The script explains its variables.
sprt:
	tests/sprt.sh

hooks:
	git config core.hooksPath .githooks

test:
	+@MAKE="$(MAKE)" EXE="$(RUN)" NATIVE="$(call ABSOLUTE,$(BINARY))" tests/all.sh

# The checks that take longer (tests/README.md), by their names or as `make rare CHECK=NAME`.
$(RARE): ; +@$(MAKE) rare CHECK=$@
order torture latency memory infinite soak clients terminal: build
terminal: study

rare:
	@EXE="$(call ABSOLUTE,$(BINARY))" STUDY="$(call ABSOLUTE,$(STUDY))" $(if $(SECONDS),FUZZ_SECONDS=$(SECONDS)) tests/rare.sh $(CHECK)

clean:
	cargo clean
	rm -rf dist
	rm -f $(BINARY) $(STUDY) $(TOOLS) $(LAB)

help:
	@sed -n 's/^#| \{0,1\}//p' Makefile

#| Build:
#|   make             the engine for this CPU, ./rejoinder
#|   make study       ./rejoinder-study: live analysis, games at the terminal, annotated games
#|   make tools       ./rejoinder-tools: self-play games, training, matches, tuning
#|   make lab         ./rejoinder-lab: experiments in move ordering
#|   make pgo         the engine, optimized with a profile of bench: about 8% faster (needs llvm-tools)
#|   make pgo-study, pgo-tools    the other programs with the same profile
#|   make dist        programs for other machines, and archives with checksums, in dist/
#|   make web         the analysis page, target/web; make web-run serves it
#|   make doc         the documentation of the code, target/doc/rejoinder/index.html
#| Run:
#|   make run         analyze the start position for five seconds on every core
#|   make bench       print speed and signature
#| Check:
#|   make test        format, lints, all tests, and the signature against tests/data/signature
#|   make check       format, lints and the unit tests, in minutes; make lint: the first two
#|   make sprt BASE=main  play against that commit until a sequential test decides
#|   make hooks       let git add or check the line 'Bench: N' of each commit
#|   make check-dist  run each program of make dist, under qemu or wine where it must
#|   make rare        the names of the checks that take longer (tests/README.md)
#| Variables:
#|   EXE=name         name of the engine's program
#|   CPU=x86-64-v2    build for a different CPU
#|   EVALFILE=path    embed this network instead of networks/rejoinder.rjn
#|   REJOINDER_SHARED=path  use this folder instead of ../shared; what it lacks is skipped
#|   FEATURES=tune    expose the search parameters as UCI options
