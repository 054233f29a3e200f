# Rejoinder. `make` builds for the CPU it runs on; `make help` lists the rest.

EXE ?= rejoinder
CPU ?= native

ifeq ($(OS),Windows_NT)
SUFFIX := .exe
endif
BINARY := $(EXE:.exe=)$(SUFFIX)
RUN := $(if $(filter /%,$(BINARY)),,./)$(BINARY)
TARGET := target/$(CPU)

# The flags must reach the library as well, so they go by RUSTFLAGS: those of `cargo rustc` reach only the binary.
NATIVE := RUSTFLAGS="$(strip $(RUSTFLAGS) -C target-cpu=$(CPU))"

ifdef EVALFILE
export REJOINDER_EVALFILE := $(abspath $(EVALFILE))
endif

# Profile-guided: with --target, the flags stay away from build scripts, which would leave profiles of their own.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
PROFDATA ?= $(wildcard $(shell rustc --print sysroot)/lib/rustlib/$(HOST)/bin/llvm-profdata$(SUFFIX))
PROFILE := $(abspath $(TARGET))/profile
PROFILED = RUSTFLAGS="$(strip $(RUSTFLAGS) -C target-cpu=$(CPU) $(1))" \
	cargo build --release --locked --target $(HOST) --target-dir $(TARGET)/pgo
PROFILED_BINARY = $(TARGET)/pgo/$(HOST)/release/rejoinder$(SUFFIX)

VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
# The levels this machine can train: a profile comes from running the program.
LEVELS = x86-64-v2 x86-64-v3 $(if $(shell grep -m 1 -ow avx512vl /proc/cpuinfo),x86-64-v4)

.PHONY: mates endings torture latency memory infinite soak tsan asan miri fuzz clients
.PHONY: build pgo dist run bench test lint perft clean help
.DELETE_ON_ERROR:

build:
	$(NATIVE) cargo build --release --locked --target-dir $(TARGET)
	@cp -f $(TARGET)/release/rejoinder$(SUFFIX) $(BINARY)

# Bench is what the search is trained on; `kernels` adds those evaluation loops that other CPUs will choose.
pgo:
	@test -x "$(PROFDATA)" || { echo "make pgo needs llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf $(PROFILE)
	$(call PROFILED,-C profile-generate=$(PROFILE))
	$(PROFILED_BINARY) bench > $(PROFILE).bench
	$(PROFILED_BINARY) kernels > /dev/null
	$(PROFDATA) merge -o $(PROFILE)/merged.profdata $(PROFILE)/*.profraw
	$(call PROFILED,-C profile-use=$(PROFILE)/merged.profdata)
	EXE=$(PROFILED_BINARY) ./bench.sh $$(sed -n '$$s/ nodes .*//p' $(PROFILE).bench)
	@cp -f $(PROFILED_BINARY) $(BINARY)

dist:
	$(MAKE) $(LEVELS:%=dist/rejoinder-$(VERSION)-linux-%)

# Static, so that they do not ask for the C library of this machine.
dist/rejoinder-$(VERSION)-linux-%: FORCE
	@mkdir -p $(@D)
	$(MAKE) pgo CPU=$* EXE=$@ RUSTFLAGS="$(strip $(RUSTFLAGS) -C target-feature=+crt-static)"
	EXE=$@ ./bench.sh
FORCE:

run: build
	$(RUN) analyse --seconds 5

bench: build
	$(RUN) bench

lint:
	cargo fmt --check
	cargo clippy --locked --all-targets -- -D warnings

test: build lint
	REJOINDER_NATIVE=$(abspath $(BINARY)) cargo test --locked
	EXE=$(RUN) ./bench.sh

perft:
	cargo test --release --locked --test perft -- --ignored --nocapture

# ---- Proofs ----

# Four-man endings against best defence, and damaged tables.
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

# The program, built with a sanitizer, in the hands of the usual tests. Those that measure memory, or limit it, are left out.
SANITIZER_HOST = $(shell rustc +nightly -vV | sed -n 's/^host: //p')
tsan: sanitize-thread
asan: sanitize-address

sanitize-%: FORCE
	RUSTFLAGS="-Zsanitizer=$*" cargo +nightly build --locked -Zbuild-std --target $(SANITIZER_HOST) --target-dir target/$*
	REJOINDER_EXE=$(abspath target/$*/$(SANITIZER_HOST)/debug/rejoinder) \
	TSAN_OPTIONS="halt_on_error=1 exitcode=66" ASAN_OPTIONS="detect_leaks=1" \
		cargo test --locked --test conversation -- --nocapture --skip memory --skip resources --skip readyok --skip at_once

# Leaves out what takes hours when it is interpreted.
miri:
	MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance" PROPTEST_CASES=2 \
		cargo +nightly miri test --locked --target-dir target/miri --lib -- types:: board::fen board::make board::legality tt::entry tt::tests memory:: shared::

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
	rm -f $(BINARY)

help:
	@echo "make         build ./$(BINARY) for this CPU"
	@echo "make pgo     the same, guided by a profile of bench: a little faster; needs rustup component add llvm-tools"
	@echo "make dist    such builds for x86-64-v2 and later, as far as this CPU can run them, in dist/"
	@echo "make run     build, then analyse the start position for five seconds on every core"
	@echo "make bench   build, then print speed and signature"
	@echo "make test    format, lints, all tests, and the signature against tests/data/signature"
	@echo "make lint    format and lints only"
	@echo "make perft   count the larger perft suites of ../shared/data (or of REJOINDER_SHARED)"
	@echo "Proofs:"
	@echo "make mates   every mate announced over the suites of ../shared/data has a legal line of that length [NODES, STRIDE]"
	@echo "make endings play 600 endings with the Syzygy tables of ../shared/data (or of REJOINDER_SHARED) against best defence"
	@echo "make torture everything at once with 64 threads, for MINUTES=10"
	@echo "make latency stop and isready within 10 ms with idle and busy cores; TRIES=1000; for a quiet machine"
	@echo "make memory  hash and at most 16 MB a thread, and 4 GB cleared before readyok"
	@echo "make infinite one hour of go infinite, or MINUTES=60: memory flat, all lines legal, and an answer to stop"
	@echo "make soak    5,000 hyper-bullet games and 4 long ones through fastchess: no loss on time, nothing illegal; FASTCHESS=path"
	@echo "make tsan    the conversations of the tests with a ThreadSanitizer build; needs nightly with rust-src"
	@echo "make asan    the same with AddressSanitizer"
	@echo "make miri    what unit tests Miri can interpret in minutes; needs nightly with miri and rust-src"
	@echo "make fuzz    feed every reader with bytes of no sense, SECONDS=60 each; needs nightly and cargo-fuzz"
	@echo "make clients play and analyse in real clients: python-chess, fastchess, xboard, GNOME Chess"
	@echo "make clean   remove what was built"
	@echo "Variables:   EXE=name       the name of the binary"
	@echo "             CPU=x86-64-v2  build for another CPU than this one"
	@echo "             EVALFILE=path  network to embed instead of networks/rejoinder.rjn"
