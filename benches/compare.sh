#!/bin/sh
# Measures replaylint beside other tools on the same files in the same run, and prints a table of ratios. Each of the others
# does only the check of pairs, as far as it can; what is not installed is left out. See README.md.
set -eu
cd "$(dirname "$0")/.."
venv=target/compare
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --requirement benches/compare/requirements.txt ||
        echo "the Python packages cannot be installed; those are left out" >&2
fi
cargo build --release --quiet
data=${TMPDIR:-/tmp}/replaylint-compare.$$
mkdir "$data"
trap 'rm -r "$data"' EXIT
trap 'exit 130' INT TERM
cargo bench --quiet --bench speed -- data "$data"
"$venv/bin/python" benches/compare/run.py "${REPLAYLINT:-target/release/replaylint}" "$data"
