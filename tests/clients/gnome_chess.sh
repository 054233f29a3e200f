#!/usr/bin/env bash
# GNOME Chess, a client with windows: the engine has White, a hand with a mouse answers three times, and a screenshot is taken of
# the board. What the two said to each other is in the engine's log.
set -euo pipefail
cd "$(dirname "$0")/../.."
source tests/clients/common.sh

need Xvfb gnome-chess xdotool import
display
home="$OUT/gnome-home" log="$OUT/gnome_chess.uci" shot="$OUT/gnome_chess.png"
rm -rf "$home" "$log" "$shot"
mkdir -p "$home/gnome-chess" "$home/glib-2.0/settings"

# The client starts programs by their names.
ln -s "$ENGINE" "$home/rejoinder"
cat > "$home/gnome-chess/engines.conf" <<END
[Rejoinder]
protocol=uci
binary=rejoinder
option-hard-0=Debug Log File $log
option-hard-1=Hash 32
uci-go-option-hard-0=movetime 500
END
cat > "$home/glib-2.0/settings/keyfile" <<END
[org/gnome/Chess]
opponent='Rejoinder'
play-as='black'
difficulty='hard'
board-side='white'
width=700
height=550
END

PATH="$home:$PATH" XDG_CONFIG_HOME="$home" XDG_DATA_HOME="$home/data" GSETTINGS_BACKEND=keyfile GDK_BACKEND=x11 GSK_RENDERER=cairo \
    DBUS_SESSION_BUS_ADDRESS=disabled: GTK_A11Y=none gnome-chess > "$OUT/gnome_chess.log" 2>&1 &
client=$!
trap 'kill "$client" "$SCREEN" 2> /dev/null || true' EXIT

# Waits until the engine has made so many moves, and the client has drawn the last.
moves() {
    local tries
    for tries in $(seq 120); do
        if [ -e "$log" ] && [ "$(grep -c 'bestmove [a-h]' "$log")" -ge "$1" ]; then
            sleep 2
            return 0
        fi
        sleep 0.5
    done
    screenshot "$shot"
    fail "the engine has not made move $1 after a minute (see $log and $shot)"
}

# Clicks on a square: White is below, the squares are 48 pixels wide, and the middle of a1 is at 182, 443.
click() {
    local file rank
    file=$(($(printf '%d' "'${1:0:1}") - 97)) rank=$((${1:1:1} - 1))
    xdotool mousemove $((182 + 48 * file)) $((443 - 48 * rank)) sleep 0.3 click 1 sleep 0.3
}

moves 1
made=1
for reply in e7e6 h7h6 a7a6; do
    click "${reply:0:2}"
    click "${reply:2:2}"
    made=$((made + 1))
    moves $made
done
xdotool mousemove 900 700 sleep 1
screenshot "$shot"

last=$(grep -oE 'position .*' "$log" | tail -n 1)
[[ "$last" =~ moves\ [a-h][1-8][a-h][1-8]\ e7e6\ .*\ h7h6\ .*\ a7a6$ ]] || fail "other moves were sent: $last (see $shot)"
kill -0 "$client" || fail "the client has ended (see $OUT/gnome_chess.log)"
echo "gnome_chess: $made moves by the engine, 3 by hand, as in $shot"
