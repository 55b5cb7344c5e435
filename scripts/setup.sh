#!/bin/sh
# Prepare a fresh machine: system libraries that Qt loads, a virtual environment, the packages.
# Usage: PYTHON=python3.12 sh scripts/setup.sh VENV
set -eu
venv=$1
python=${PYTHON:-python3}

version_ok() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
if ! version_ok "$python"; then
    found=
    for candidate in python3.14 python3.13 python3.12 python3.11; do
        if version_ok "$candidate"; then found=$candidate; break; fi
    done
    if [ -z "$found" ]; then
        echo "Pullback needs Python 3.11 or newer; '$python' is older or not there." >&2
        echo "Install one, then: make PYTHON=/path/to/python3 run" >&2
        exit 1
    fi
    python=$found
fi

# What Qt loads at run time and its wheel does not bring.
libraries="libgl1 libegl1 libxkbcommon0 libfontconfig1 libglib2.0-0 libdbus-1-3 libxcb-cursor0 \
libxkbcommon-x11-0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxcb-xinerama0 libxcb-render-util0 \
libxcb-image0"
if command -v dpkg-query >/dev/null 2>&1; then
    missing=
    for library in $libraries; do
        # Newer releases call some of them ...t64.
        if ! dpkg-query -W -f='${Status}\n' "$library" "${library}t64" 2>/dev/null | grep -q 'ok installed'; then
            missing="$missing $library"
        fi
    done
    "$python" -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3-venv"
    if [ -n "$missing" ]; then
        if [ "$(id -u)" = 0 ]; then
            sudo=
        elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
            sudo=sudo
        else
            echo "Qt needs system libraries that only an administrator can install. Type:" >&2
            echo "    sudo apt-get install -y$missing" >&2
            echo "and then the same make command again." >&2
            exit 1
        fi
        echo "Installing system libraries:$missing"
        $sudo apt-get update -qq
        DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
    fi
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
echo "Installing Pullback into $venv ..."
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
