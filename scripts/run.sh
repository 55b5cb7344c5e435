#!/bin/sh
# Open the window; without a display run the first example headless: a table and a GIF.
# Usage: sh scripts/run.sh BIN
set -eu
bin=$1
example=resources/examples/1_square.pullback

if "$bin/python" -m app.display; then
    exec "$bin/pullback"
fi
echo "No display here, so this is the first example without a window."
echo
"$bin/pullback" run "$example"
mkdir -p out
"$bin/pullback" render "$example" -o out/square.gif
echo "Open it to watch the gradient flow."
