# What the scripts of clients share. ENGINE is the program to play with, OUT is where their files go.

ENGINE=$(realpath "${ENGINE:-./rejoinder}")
OUT=${OUT:-target/clients}
mkdir -p "$OUT"
OUT=$(realpath "$OUT")
# Where Debian puts games.
PATH=$PATH:/usr/games
NAME=$(basename "$0" .sh)
# Tells a script that left something out from one that found something wrong.
SKIPPED=77

skip() {
    echo "$NAME: SKIPPED: $*"
    exit "$SKIPPED"
}

fail() {
    echo "$NAME: FAILED: $*" >&2
    exit 1
}

# Skips the script if a program is missing.
need() {
    local program
    for program in "$@"; do
        command -v "$program" > /dev/null || skip "there is no $program on this machine"
    done
}

# A screen that nobody sees, until the script ends.
display() {
    local number="$OUT/$NAME.display"
    Xvfb -displayfd 3 -screen 0 1024x768x24 3> "$number" > "$OUT/$NAME.xvfb.log" 2>&1 &
    SCREEN=$!
    trap 'kill "$SCREEN" 2> /dev/null || true' EXIT
    local tries
    for tries in $(seq 100); do
        [ -s "$number" ] && break
        sleep 0.1
    done
    [ -s "$number" ] || skip "Xvfb does not start here"
    export DISPLAY=:$(cat "$number")
    rm -f "$number"
}

# The screen as an image, if ImageMagick is there.
screenshot() {
    if ! command -v import > /dev/null; then
        echo "$NAME: SKIPPED: no screenshot, there is no import (ImageMagick)"
        return 0
    fi
    import -window root "$1" || fail "no screenshot of the screen"
}
