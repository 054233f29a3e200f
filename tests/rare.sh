#!/bin/sh
# The checks that `make test` leaves out: `make rare CHECK=NAME`, or `make NAME`. tests/README.md says what
# they show and which variables they read. EXE and STUDY are the programs that `make` builds.
set -eu
cd "$(dirname "$0")/.."

ignored() {
    cargo test --locked "$@" -- --ignored --nocapture
}

# prove NAME...: tests that run the program that people play with, not a test build.
prove() {
    name=$1
    shift
    REJOINDER_EXE="$EXE" cargo test --locked --test conversation "$name" -- --ignored --nocapture "$@"
}

# The usual conversations with a program that was built with a sanitizer. Tests that limit its memory or
# its time closely are left out.
sanitized() {
    host=$(rustc +nightly -vV | sed -n 's/^host: //p')
    RUSTFLAGS="-Zsanitizer=$1" cargo +nightly build --locked -Zbuild-std --target "$host" --target-dir "target/$1"
    REJOINDER_EXE="$PWD/target/$1/$host/debug/rejoinder" REJOINDER_SANITIZED=1 \
        TSAN_OPTIONS="halt_on_error=1 exitcode=66" ASAN_OPTIONS="detect_leaks=1" \
        cargo test --locked --test conversation -- --nocapture --skip memory --skip resources \
        --skip readyok --skip at_once --skip quit_does_not_wait --skip infinite_means
}

# Needs `cargo install cargo-fuzz`. Inputs that fail are kept in fuzz/artifacts.
fuzzed() {
    for target in "$@"; do
        mkdir -p "fuzz/corpus/$target"
        cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "tests/data/corpus/$target" -- \
            -max_total_time="${FUZZ_SECONDS:-60}" -max_len=4096 -print_final_stats=1
    done
}

case ${1-} in
perft) ignored --release --test chess perft:: ;;
endings) ignored --release --test syzygy ;;
mates) ignored --test chess mates:: ;;
order) prove reports_of_many ;;
torture) prove a_long_torture ;;
latency) prove ten_milliseconds ;;
memory)
    prove gigabytes --test-threads 1
    prove sixteen_megabytes
    ;;
infinite) prove an_infinite_search ;;
soak) tests/soak.sh ;;
tsan) sanitized thread ;;
asan) sanitized address ;;
# Tests that take hours under an interpreter are left out. The order of memory accesses is checked by loom
# (tests/threads/mailbox.rs and the unit tests of src/tt/slot.rs), not here.
miri)
    MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-disable-weak-memory-emulation" PROPTEST_CASES=2 \
        cargo +nightly miri test --locked --target-dir target/miri --lib -- \
        types:: board::fen board::make board::legality tt::entry tt::tests memory:: shared:: \
        --skip all_parts --skip any_size --skip hashfull --skip the_age_goes --skip streams_do_not
    ;;
fuzz) fuzzed fen uci network games epd pgn request ;;
fuzz-*) fuzzed "${1#fuzz-}" ;;
# python-chess, fastchess (FASTCHESS=path), xboard with polyglot, GNOME Chess: those that are installed.
clients) ENGINE="$EXE" tests/clients/run.sh ;;
# An analysis shown live, in tmux.
terminal) ENGINE="$EXE" python3 study/tests/terminal.py ;;
# The default build contains no code of the hook for experiments.
lab-cost) tests/lab_cost.sh ;;
# What the client of OpenBench does with an engine.
openbench) python3 tests/openbench.py ;;
*)
    echo "make rare CHECK=NAME; the names are:" >&2
    sed -n 's/^\([a-z-]*\)).*/  \1/p' "$0" >&2
    exit 2
    ;;
esac
