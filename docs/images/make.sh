#!/usr/bin/env bash
# Makes the pictures of this folder from a run directory and, where one is given, a capture. Needs chromium and pngquant.
#
#   ./replay --targets c2,graal -o /tmp/pictures samples/users.bin
#   docs/images/make.sh /tmp/pictures samples/users.bin
set -euo pipefail

if (($# < 1 || $# > 2)) || [[ ! -e $1/run.json ]]; then
  echo "usage: docs/images/make.sh RUN_DIRECTORY [CAPTURE]" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
replay=$here/../../replay
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Of a page, only one section, as a reader sees it who has scrolled there.
only() {
  sed "s|</head>|<style>body > header, #controls, footer, main > :not(#$1) { display: none !important; }</style></head>|" "$2" >"$3"
}

# name, size of the window, page, further options
picture() {
  chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking --hide-scrollbars \
    --user-data-dir="$work/profile" --virtual-time-budget=20000 --window-size="$2" --screenshot="$work/$1.png" \
    "${@:4}" "file://$3" 2>/dev/null
  pngquant --force --speed 1 --quality 60-90 --strip --output "$here/$1.png" "$work/$1.png"
}

"$replay" report --html "$work/report.html" "$1"
picture report 1100,640 "$work/report.html"
picture report-phone-dark 390,780 "$work/report.html" --blink-settings=preferredColorScheme=0
only latency "$work/report.html" "$work/latency.html"
picture report-latency 1100,840 "$work/latency.html"
only cpu "$work/report.html" "$work/cpu.html"
picture report-cpu 1100,840 "$work/cpu.html"
if (($# == 2)); then
  "$replay" inspect --html "$work/capture.html" "$2" >/dev/null
  only time "$work/capture.html" "$work/time.html"
  picture capture 1100,900 "$work/time.html"
fi
ls -l "$here"/*.png
