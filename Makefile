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

.PHONY: build run bench test lint perft clean help

build:
	$(NATIVE) cargo build --release --locked --target-dir $(TARGET)
	@cp -f $(TARGET)/release/rejoinder$(SUFFIX) $(BINARY)

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

clean:
	cargo clean
	rm -f $(BINARY)

help:
	@echo "make         build ./$(BINARY) for this CPU"
	@echo "make run     build, then analyse the start position for five seconds on every core"
	@echo "make bench   build, then print speed and signature"
	@echo "make test    format, lints, all tests, and the signature against tests/data/signature"
	@echo "make lint    format and lints only"
	@echo "make perft   count the larger perft suites of ../shared/data (or of REJOINDER_SHARED)"
	@echo "make clean   remove what was built"
	@echo "Variables:   EXE=name       the name of the binary"
	@echo "             CPU=x86-64-v2  build for another CPU than this one"
	@echo "             EVALFILE=path  network to embed instead of networks/rejoinder.rjn"
