#!/bin/sh
# The laboratory of move ordering costs the default build nothing: its machine code is the same with src/ordering/lab removed.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r Cargo.toml Cargo.lock build.rs README.md src networks tests "$copy"
cd "$copy"

text() {
    # Both builds have one path: names of functions, and with them their order, depend on it.
    touch src/lib.rs
    cargo build --quiet --release --locked --target-dir "$copy/target"
    objcopy -O binary --only-section=.text target/release/rejoinder text
    echo "$1: $(wc -c < text) bytes of .text, $(sha256sum < text | cut -c 1-16)" >&2
    sha256sum < text
}

with=$(text "with src/ordering/lab")
rm -r src/ordering/lab
without=$(text "without it")
if [ "$with" != "$without" ]; then
    echo "the laboratory is not free" >&2
    exit 1
fi
