# A part of ../Makefile: the programs of a release, in dist/.

# Programs for other machines: linked statically and named after the version. A program that cannot
# run here is optimized with the profile of a Linux build that can.
DIST := linux-x86-64-v2 linux-x86-64-v3 linux-x86-64-v4 linux-aarch64 windows-x86-64-v2 windows-x86-64-v3
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml)
DIST_PGO = $(MAKE) pgo pgo-study EXE=dist/rejoinder-$(VERSION)-$(@:dist-%=%) \
	STUDY_EXE=dist/rejoinder-study-$(VERSION)-$(@:dist-%=%)
DIST_BUILD = $(DIST_PGO) RUSTFLAGS="$(strip $(RUSTFLAGS) -C target-feature=+crt-static)"
AVX512 = $(shell grep -m 1 -ow avx512vl /proc/cpuinfo)

dist $(DIST:%=dist-%) dist-macos-aarch64: page
dist $(DIST:%=dist-%) dist-macos-aarch64: export REJOINDER_PAGE := $(CURDIR)/target/page
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
