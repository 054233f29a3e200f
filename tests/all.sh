#!/bin/sh
# All that `make test` runs. It goes on after a failure, and ends with one line of sums; the status is
# 1 if anything failed. EXE is the program that `make build` leaves, NATIVE its absolute path.
set -u

start=$(date +%s)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
failed=

# step NAME COMMAND...: the output is shown and kept.
step() {
    name=$1
    shift
    { "$@" || echo "$name" >> "$work/failed"; } | tee -a "$work/said"
}

step build "${MAKE:-make}" build
step lint "${MAKE:-make}" lint
step tests env REJOINDER_NATIVE="$NATIVE" cargo test --locked --no-fail-fast \
    --package rejoinder --package rejoinder-study --package rejoinder-tools --package rejoinder-reader --package rejoinder-web
step "tests of features" cargo test --locked --no-fail-fast \
    --package rejoinder-lab --package rejoinder --features rejoinder/hook,rejoinder/tune \
    --lib --test commands --test each_move_once
step signature ./bench.sh

if [ -s "$work/failed" ]; then
    sed -n 's/^test \(.*\) \.\.\. FAILED$/failed: \1/p' "$work/said"
    failed="FAILED: $(paste -s -d , "$work/failed" | sed 's/,/, /g'); "
fi
minutes=$(awk "BEGIN { printf \"%.1f\", ($(date +%s) - $start) / 60 }")
size=$(du -sk "${CARGO_TARGET_DIR:-target}" | awk '{ printf "%.1f GB", $1 / 1048576 }')
sums=$(sed -n 's/^test result: .* \([0-9]*\) passed; \([0-9]*\) failed; \([0-9]*\) ignored;.*/\1 \2 \3/p' "$work/said" |
    awk '{ p += $1; f += $2; i += $3 } END { printf "%d passed, %d failed, %d ignored", p, f, i }')
echo "make test: $failed$sums; $minutes minutes, $size in target/"
[ -z "$failed" ]
