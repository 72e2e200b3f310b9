#!/bin/sh
# Installs the Python wheel into an empty environment and tries it: the command, the module, and the tests with the real
# SDKs, which pip fetches.
#
#   packaging/test-wheel.sh [WHEEL]
#
# Without WHEEL it is built by packaging/wheel.sh --quick.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
wheel=${1:-}
[ -n "$wheel" ] || wheel=$(packaging/wheel.sh --quick)
envs=target/wheel
pip() {
    venv=$1 && shift
    "$venv/bin/python" -m pip --disable-pip-version-check --quiet "$@"
}

echo "== an empty environment: $wheel"
rm -rf $envs/empty
"$python" -m venv $envs/empty
pip $envs/empty install --no-index "$wheel"
bin=$PWD/$envs/empty/bin
code=0
"$bin/replaylint" check --output-format concise testdata/readme/weather.json || code=$?
[ $code = 1 ] || { echo "error: replaylint check exited with $code, not 1" >&2 && exit 1; }
"$bin/python" - <<'PYTHON'
import pathlib, replaylint
fixed, report = replaylint.fix(pathlib.Path("testdata/readme/weather.json"))
assert report.ok and report.changed, report
print(f"the module: {report}")
PYTHON
for file in share/man/man1/replaylint.1 share/bash-completion/completions/replaylint; do
    [ -s $envs/empty/$file ] || { echo "error: $file is missing" >&2 && exit 1; }
done
if command -v readelf >/dev/null 2>&1; then
    # The audit of manylinux looks at the module only. What the wheel's name promises must hold for the program, too.
    newest=$(readelf -V "$bin/replaylint" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1)
    echo "the program needs ${newest:-no glibc}"
    case $wheel in
    *manylinux_2_17*) [ "$(printf '%s\n' "$newest" GLIBC_2.17 | sort -V | tail -1)" = GLIBC_2.17 ] || exit 1 ;;
    esac
fi

echo "== the tests"
[ -x $envs/tests/bin/python ] || "$python" -m venv $envs/tests
if ! pip $envs/tests install -r packaging/python/tests/requirements.txt; then
    echo "the packages of the SDKs could not be fetched: the tests of the module were skipped"
    exit 0
fi
pip $envs/tests install --no-index --force-reinstall --no-deps "$wheel"
$envs/tests/bin/python -m pytest -q -p no:cacheprovider packaging/python
