# Rejoinder. `make` builds for the CPU it runs on; `make help` lists the rest.
# `make`, `make run` and `make bench` are content with cmd.exe; all else wants a POSIX shell, but no bash.

.DEFAULT_GOAL := build

EXE ?= rejoinder
CPU ?= native

ifneq ($(filter Windows_NT,$(OS))$(findstring windows,$(TRIPLE)),)
SUFFIX := .exe
endif
BINARY := $(EXE:.exe=)$(SUFFIX)
# A whole path begins with a slash, or with C: under Windows.
RUN := $(if $(filter /%,$(BINARY))$(findstring :,$(BINARY)),,./)$(BINARY)
TARGET := target/$(CPU)

# Where make finds no sh.exe under Windows it calls cmd.exe, which has no cp and wants backslashes.
ifneq ($(and $(filter Windows_NT,$(OS)),$(filter sh.exe cmd %cmd.exe,$(SHELL))),)
RUN := $(subst /,\,$(RUN))
COPY = copy /y $(subst /,\,$(1) $(2)) > nul
else
COPY = cp -f $(1) $(2)
endif

CARGO_BUILD := cargo build --release --locked \
	$(if $(LIGHT),--no-default-features) $(if $(FEATURES),--features $(FEATURES))

ifdef EVALFILE
export REJOINDER_EVALFILE := $(abspath $(EVALFILE))
endif

# Profile-guided: with --target, the flags stay away from build scripts, which would leave profiles of their own.
HOST = $(shell rustc --print host-tuple)
SYSROOT = $(shell rustc --print sysroot)
TRIPLE ?= $(HOST)
PROFDATA ?= $(firstword $(wildcard $(addprefix $(SYSROOT)/lib/rustlib/$(HOST)/bin/llvm-profdata,.exe) \
	$(SYSROOT)/lib/rustlib/$(HOST)/bin/llvm-profdata))
PROFILED = $(if $(filter Windows_NT,$(OS)),,RUSTC_WORKSPACE_WRAPPER="$(abspath .ci/rustc-for-dist)") \
	RUSTFLAGS="$(strip $(RUSTFLAGS) -C target-cpu=$(CPU) -C symbol-mangling-version=v0 $(1))" \
	$(CARGO_BUILD) --target $(TRIPLE) --target-dir $(TARGET)/pgo
PROFILED_BINARY = $(TARGET)/pgo/$(TRIPLE)/release/rejoinder$(SUFFIX)
# PROFILE=folder takes the profile of another build.
ifndef PROFILE
PROFILE := $(abspath $(TARGET))/profile
pgo: profile
COMPARE = EXE=$(PROFILED_BINARY) ./bench.sh $$(sed -n '$$s/ nodes .*//p' $(PROFILE)/bench)
else
# Files and memory are not the same code on every system, and need not be said to differ.
SILENT := -C llvm-args=-no-pgo-warn-mismatch
endif

.PHONY: build pgo profile dist check-dist openbench run bench test lint perft clean help
.DELETE_ON_ERROR:

# The flags must reach the library as well, so they go by RUSTFLAGS: those of `cargo rustc` reach only the binary.
build: override export RUSTFLAGS := $(strip $(RUSTFLAGS) -C target-cpu=$(CPU))
build:
	$(CARGO_BUILD) --target-dir $(TARGET)
	@$(call COPY,$(TARGET)/release/rejoinder$(SUFFIX),$(BINARY))

pgo:
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata $(SILENT))
	$(COMPARE)
	@mkdir -p $(dir $(BINARY))
	@$(call COPY,$(PROFILED_BINARY),$(BINARY))

# Bench is what the search is trained on; `kernels` adds those evaluation loops that other CPUs will choose.
profile:
	@test -x "$(PROFDATA)" || { echo "make pgo needs llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf $(PROFILE)
	$(call PROFILED,-C profile-generate=$(PROFILE))
	$(PROFILED_BINARY) bench > $(TARGET)/bench
	$(PROFILED_BINARY) kernels > $(TARGET)/kernels
	$(PROFDATA) merge -o $(PROFILE)/merged.profdata $(PROFILE)/*.profraw
	@mv $(TARGET)/bench $(PROFILE)

# For other machines than this one: static, and named after the version. What cannot be run here is guided by the profile
# of a Linux build that can.
DIST := linux-x86-64-v2 linux-x86-64-v3 linux-x86-64-v4 linux-aarch64 windows-x86-64-v2 windows-x86-64-v3
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
DIST_BUILD = $(MAKE) pgo EXE=dist/rejoinder-$(VERSION)-$(@:dist-%=%) \
	RUSTFLAGS="$(strip $(RUSTFLAGS) -C target-feature=+crt-static)"
AVX512 = $(shell grep -m 1 -ow avx512vl /proc/cpuinfo)
# A program, the Debian package that has it, and the target of Rust.
NEEDED = @command -v $(1) > /dev/null || { echo "$@ needs $(1): apt install $(2)" >&2; exit 1; }; \
	test -d "$(SYSROOT)/lib/rustlib/$(3)" || { echo "$@ needs: rustup target add $(3)" >&2; exit 1; }

dist:
	$(MAKE) -k $(DIST:%=dist-%)

dist-linux-x86-64-v2 dist-linux-x86-64-v3: dist-linux-%:
	+$(DIST_BUILD) CPU=$*

dist-linux-x86-64-v4: dist-linux-x86-64-v3
	+$(DIST_BUILD) CPU=x86-64-v4 $(if $(AVX512),,PROFILE=$(abspath target/x86-64-v3/profile))

dist-linux-aarch64: dist-linux-x86-64-v2
	$(call NEEDED,aarch64-linux-gnu-gcc,gcc-aarch64-linux-gnu,aarch64-unknown-linux-gnu)
	+CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
	$(DIST_BUILD) CPU=generic TRIPLE=aarch64-unknown-linux-gnu PROFILE=$(abspath target/x86-64-v2/profile)

dist-windows-x86-64-v2 dist-windows-x86-64-v3: dist-windows-%: dist-linux-%
	$(call NEEDED,x86_64-w64-mingw32-gcc,mingw-w64,x86_64-pc-windows-gnu)
	+$(DIST_BUILD) CPU=$* TRIPLE=x86_64-pc-windows-gnu PROFILE=$(abspath target/$*/profile)

# Each of them where it belongs, or on what stands in for that: signature, a game, a CPU that is too old.
check-dist:
	cargo test --locked --test dist -- --ignored --nocapture

# What OpenBench's client does with an engine.
openbench:
	python3 tests/openbench.py

run: build
	$(RUN) analyse --seconds 5

bench: build
	$(RUN) bench

lint:
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings
	cargo clippy --locked --no-default-features -- -D warnings

test: build lint
	REJOINDER_NATIVE=$(abspath $(BINARY)) cargo test --locked
	EXE=$(RUN) ./bench.sh

perft:
	cargo test --release --locked --test perft -- --ignored --nocapture

clean:
	cargo clean
	rm -rf dist
	rm -f $(BINARY)

help:
	@echo "make             build ./$(BINARY) for this CPU"
	@echo "make pgo         the same, guided by a profile of bench: a little faster; needs rustup component add llvm-tools"
	@echo "make dist        programs for other machines, in dist/: Linux x86-64-v2, v3, v4 and aarch64, Windows x86-64-v2 and v3"
	@echo "make check-dist  runs each of them, under qemu and wine where it must: signature, a game, CPUs that are too old"
	@echo "make openbench   what OpenBench's client does: build an archive, 16 benches at once, genfens, SPSA"
	@echo "make run         build, then analyse the start position for five seconds on every core"
	@echo "make bench       build, then print speed and signature"
	@echo "make test        format, lints, all tests, and the signature against tests/data/signature"
	@echo "make lint        format and lints only"
	@echo "make perft       count the larger perft suites of ../shared/data (or of REJOINDER_SHARED)"
	@echo "make clean       remove what was built"
	@echo "Variables:       EXE=name       the name of the binary"
	@echo "                 CPU=x86-64-v2  build for another CPU than this one"
	@echo "                 EVALFILE=path  network to embed instead of networks/rejoinder.rjn"
	@echo "                 LIGHT=1        without training, tuning, matches and game data: fewer crates, no C compiler"
	@echo "                 FEATURES=tune  the numbers of the search as options"
