#!/usr/bin/env bash
# xboard, a client of the older protocol, plays the engine against itself through polyglot, in a window nobody sees.
# The result is read from the game it saves.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/clients/common.sh

need Xvfb xboard polyglot
display
log="$OUT/xboard.log" pgn="$OUT/xboard.pgn"
rm -f "$pgn"

player="polyglot -noini -ec $ENGINE -ed $OUT -en Rejoinder -log true -lf $OUT/polyglot"
timeout 240 xboard -mode TwoMachines -mg 2 -tc 0:04 -inc 0.05 -fcp "$player-1.log" -scp "$player-2.log" -fd "$OUT" -sd "$OUT" \
    -xponder -sgf "$pgn" -xpopup -xexit -thinking > "$log" 2>&1 &
client=$!

# Where a window shows no trouble, the screenshot is for people who look.
sleep 6
screenshot "$OUT/xboard.png"
wait "$client" || fail "xboard ended with code $? (see $log)"

[ -s "$pgn" ] || fail "xboard saved no game (see $log)"
games=$(grep -c '^\[Result "\(1-0\|0-1\|1/2-1/2\)"\]' "$pgn" || true)
[ "$games" = 2 ] || fail "$games finished games in $pgn, not 2"
if grep -iE '\{[^}]*(illegal|forfeit|flag|crash|exit|disconnect|abandon|resign)' "$pgn"; then
    fail "a game ended by trouble: $pgn"
fi
grep -oE '\{[^}]*\} (1-0|0-1|1/2-1/2)$' "$pgn" | sed 's/^/  /'
echo "xboard: 2 games played to the end, $pgn"
