#!/bin/sh
# setup.sh VENV LOCK [PROJECT]: makes the virtual environment VENV, or brings it up to date, from LOCK's pins and hashes.
# With PROJECT that folder is installed too, editable, with the build back end that the lock pinned.
set -eu
cd "$(dirname "$0")/.."
venv=$1 lock=$2 project=${3:-}

python=$(tools/find_python.sh "${PYTHON:-}")
wanted=$("$python" -c 'import sys; print(sys.version_info[:2])')
found=$("$venv/bin/python" -c 'import sys; print(sys.version_info[:2])' 2>/dev/null || true)
if [ "$found" != "$wanted" ]; then
    echo "Making $venv with $python."
    "$python" -m venv --clear "$venv"
fi

pip() { "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
echo "Installing $lock into $venv (a minute the first time)."
pip install --require-hashes -r "$lock"
if [ -n "$project" ]; then
    pip install --no-deps --no-build-isolation --editable "$project"
fi
touch "$venv/.installed"
