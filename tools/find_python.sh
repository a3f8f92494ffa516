#!/bin/sh
# Prints a Python that can run the project: 3.11 or newer, with venv. With an argument it tries that one alone.
# A name on PATH may be a shim that runs nothing, so every candidate is asked for its version.
set -u

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

new_enough() {
    major=${1%%.*} minor=${1#*.}
    [ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge 11 ]; }
}

refuse() { echo "$1" >&2; exit 1; }

asked=${1:-}
old=
for candidate in ${asked:-python3 python3.13 python3.12 python3.11}; do
    version=$(version_of "$candidate") || continue
    case $version in *[!0-9.]* | '') continue ;; esac
    if ! new_enough "$version"; then
        old=${old:-"$candidate is Python $version"}
        continue
    fi
    if ! "$candidate" -c 'import venv, ensurepip' 2>/dev/null; then
        refuse "$candidate (Python $version) cannot make virtual environments: install python3-venv (apt-get install python3-venv)."
    fi
    echo "$candidate"
    exit 0
done

if [ -n "$old" ]; then
    refuse "mcs needs Python 3.11 or newer, and $old: install a newer one, or name it with make PYTHON=..."
elif [ -n "$asked" ]; then
    refuse "mcs needs Python 3.11 or newer, and $asked is no Python that runs: name another with make PYTHON=..."
else
    refuse "mcs needs Python 3.11 or newer, and none is on PATH: install one, or name it with make PYTHON=..."
fi
