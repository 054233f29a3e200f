# Rejoinder. `make` builds the engine for the CPU it runs on; `make help` lists the other targets.
# `make`, `make run` and `make bench` also work from cmd.exe. Every other target needs a POSIX shell, not necessarily bash.

.DEFAULT_GOAL := build

EXE ?= rejoinder
CPU ?= native

ifneq ($(filter Windows_NT,$(OS))$(findstring windows,$(TRIPLE)),)
SUFFIX := .exe
endif
BINARY := $(EXE:.exe=)$(SUFFIX)
TOOLS := rejoinder-tools$(SUFFIX)
LAB := rejoinder-lab$(SUFFIX)
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

CARGO_BUILD := cargo build --release --locked $(if $(FEATURES),--features $(FEATURES))

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

.PHONY: build tools lab pgo pgo-tools profile dist check-dist openbench run bench lab-cost test lint perft clean help
.PHONY: clients mates endings torture latency memory infinite soak tsan asan miri fuzz
.DELETE_ON_ERROR:

# The flags must reach the library as well, so they go by RUSTFLAGS: those of `cargo rustc` reach only the binary.
build tools lab: override export RUSTFLAGS := $(strip $(RUSTFLAGS) -C target-cpu=$(CPU))
build:
	$(CARGO_BUILD) --target-dir $(TARGET)
	@$(call COPY,$(TARGET)/release/rejoinder$(SUFFIX),$(BINARY))

tools:
	$(CARGO_BUILD) --package rejoinder-tools --target-dir $(TARGET)
	@$(call COPY,$(TARGET)/release/rejoinder-tools$(SUFFIX),$(TOOLS))

# A directory of its own: the cargo features of the experiments would rebuild the engine each time.
lab:
	$(CARGO_BUILD) --package rejoinder-lab --target-dir $(TARGET)/lab
	@$(call COPY,$(TARGET)/lab/release/rejoinder-lab$(SUFFIX),$(LAB))

pgo:
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata $(SILENT))
	$(COMPARE)
	@mkdir -p $(dir $(BINARY))
	@$(call COPY,$(PROFILED_BINARY),$(BINARY))

# The tools with the profile of the engine.
pgo-tools: profile
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata) --package rejoinder-tools
	@$(call COPY,$(TARGET)/pgo/$(TRIPLE)/release/rejoinder-tools$(SUFFIX),$(TOOLS))

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

# Patterns cannot be phony; this makes them so.
FORCE:

run: build
	$(RUN) analyse --seconds 5

bench: build
	$(RUN) bench

# What the default build pays for the laboratory: nothing.
lab-cost:
	tests/lab_cost.sh

lint:
	cargo fmt --check
	cargo clippy --locked --all-targets --package rejoinder --package rejoinder-tools -- -D warnings
	cargo clippy --locked --all-targets --package rejoinder --package rejoinder-lab --features rejoinder/hook,rejoinder/tune -- -D warnings

test: build lint
	REJOINDER_NATIVE=$(abspath $(BINARY)) cargo test --locked --package rejoinder --package rejoinder-tools
	cargo test --locked --package rejoinder-lab --package rejoinder --features rejoinder/hook,rejoinder/tune --lib --test each_move_once
	EXE=$(RUN) ./bench.sh

perft:
	cargo test --release --locked --test perft -- --ignored --nocapture

# ---- Proofs ----

# Four-piece endings against best defence, and damaged tables.
endings:
	cargo test --release --locked --test syzygy -- --ignored --nocapture

# NODES: for each position; STRIDE: only every so many positions.
mates:
	cargo test --locked --test mates -- --ignored --nocapture

# The program under test is the one that is played with.
PROVE = REJOINDER_EXE=$(abspath $(BINARY)) cargo test --locked --test conversation

# MINUTES, and SEED to have the same conversation again.
torture: build
	$(PROVE) a_long_torture -- --ignored --nocapture

# TRIES
latency: build
	$(PROVE) ten_milliseconds -- --ignored --nocapture

memory: build
	$(PROVE) gigabytes -- --ignored --nocapture --test-threads 1
	$(PROVE) sixteen_megabytes -- --ignored --nocapture

# MINUTES
infinite: build
	$(PROVE) an_infinite_search -- --ignored --nocapture

# FASTCHESS, BOOK, GAMES: see the script.
soak: build
	EXE=$(abspath $(BINARY)) tests/soak.sh

# The program, built with a sanitizer, in the hands of the usual tests. Those that limit memory or time it too closely are left out.
SANITIZER_HOST = $(shell rustc +nightly -vV | sed -n 's/^host: //p')
tsan: sanitize-thread
asan: sanitize-address

sanitize-%: FORCE
	RUSTFLAGS="-Zsanitizer=$*" cargo +nightly build --locked -Zbuild-std --target $(SANITIZER_HOST) --target-dir target/$*
	REJOINDER_EXE=$(abspath target/$*/$(SANITIZER_HOST)/debug/rejoinder) REJOINDER_SANITIZED=1 \
	TSAN_OPTIONS="halt_on_error=1 exitcode=66" ASAN_OPTIONS="detect_leaks=1" \
		cargo test --locked --test conversation -- --nocapture --skip memory --skip resources --skip readyok --skip at_once --skip quit_does_not_wait --skip infinite_means

# Leaves out what takes hours when it is interpreted. Orders of memory accesses are for loom.
miri:
	MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-disable-weak-memory-emulation" PROPTEST_CASES=2 \
		cargo +nightly miri test --locked --target-dir target/miri --lib -- types:: board::fen board::make board::legality tt::entry tt::tests memory:: shared:: \
		$(addprefix --skip ,all_parts any_size hashfull the_age_goes games_do_not)

FUZZ = fen uci network games epd
SECONDS ?= 60

# Needs a nightly compiler and `cargo install cargo-fuzz`. What is found lies in fuzz/artifacts.
fuzz: $(FUZZ:%=fuzz-%)

fuzz-%: FORCE
	@mkdir -p fuzz/corpus/$*
	cargo +nightly fuzz run $* fuzz/corpus/$* tests/data/corpus/$* -- -max_total_time=$(SECONDS) -max_len=4096 -print_final_stats=1

# python-chess, fastchess (FASTCHESS=path), xboard with polyglot, GNOME Chess: as many as there are.
clients: build
	ENGINE=$(RUN) tests/clients/run.sh

clean:
	cargo clean
	rm -rf dist
	rm -f $(BINARY) $(TOOLS) $(LAB)

help:
	@echo "make             build ./$(BINARY) for this CPU"
	@echo "make tools       build ./rejoinder-tools: self-play games, training, matches, tuning"
	@echo "make lab         build ./rejoinder-lab: experiments in move ordering"
	@echo "make pgo         build the engine, optimised with a profile of bench: about 8% faster; needs rustup component add llvm-tools"
	@echo "make dist        programs for other machines, in dist/: Linux x86-64-v2, v3, v4 and aarch64, Windows x86-64-v2 and v3"
	@echo "make check-dist  runs each of them, under qemu and wine where it must: signature, a game, CPUs that are too old"
	@echo "make openbench   what OpenBench's client does: build an archive, 16 benches at once, genfens, SPSA"
	@echo "make run         build, then analyse the start position for five seconds on every core"
	@echo "make bench       build, then print speed and signature"
	@echo "make lab-cost    show that the default build contains nothing of the socket for experiments"
	@echo "make test        format, lints, all tests, and the signature against tests/data/signature"
	@echo "make lint        format and lints only"
	@echo "make perft       count the larger perft suites of ../shared/data (or of REJOINDER_SHARED)"
	@echo "Proofs:"
	@echo "make mates       every mate announced over the suites of ../shared/data has a legal line of that length [NODES, STRIDE]"
	@echo "make endings     play 600 endings with the Syzygy tables of ../shared/data (or of REJOINDER_SHARED) against best defence"
	@echo "make torture     everything at once with 64 threads, for MINUTES=10"
	@echo "make latency     stop and isready within 10 ms with idle and busy cores; TRIES=1000; for a quiet machine"
	@echo "make memory      hash and at most 16 MB a thread, and 4 GB cleared before readyok"
	@echo "make infinite    one hour of go infinite, or MINUTES=60: memory flat, all lines legal, and an answer to stop"
	@echo "make soak        5,000 hyper-bullet games and 4 long ones through fastchess: no loss on time, nothing illegal; FASTCHESS=path"
	@echo "make tsan        the conversations of the tests with a ThreadSanitizer build; needs nightly with rust-src"
	@echo "make asan        the same with AddressSanitizer"
	@echo "make miri        what unit tests Miri can interpret in minutes; needs nightly with miri and rust-src"
	@echo "make fuzz        feed every reader with bytes of no sense, SECONDS=60 each; needs nightly and cargo-fuzz"
	@echo "make clients     play and analyse in real clients: python-chess, fastchess, xboard, GNOME Chess"
	@echo "make clean       remove what was built"
	@echo "Variables:       EXE=name       the name of the binary"
	@echo "                 CPU=x86-64-v2  build for another CPU than this one"
	@echo "                 EVALFILE=path  network to embed instead of networks/rejoinder.rjn"
	@echo "                 FEATURES=tune  the numbers of the search as options"
