#!/bin/sh
# Installs the Python wheel into an empty environment and tries it: the command, the module, and the tests with the real
# SDKs, of three generations, which uv fetches.
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
# pip takes minutes to choose versions for these sets; uv takes seconds.
[ -x $envs/uv/bin/uv ] || { "$python" -m venv $envs/uv && pip $envs/uv install uv; } || true
if ! [ -x $envs/uv/bin/uv ]; then
    echo "uv could not be fetched: the tests of the module were skipped"
    exit 0
fi
# tests NAME REQUIREMENTS [FILE...]: the tests with these versions of the SDKs.
tests() {
    name=$1 requirements=packaging/python/tests/$2 && shift 2
    echo "-- $requirements"
    [ -x $envs/$name/bin/python ] || $envs/uv/bin/uv venv --quiet --python "$python" $envs/$name
    if ! $envs/uv/bin/uv pip install --quiet --python $envs/$name/bin/python --requirements "$requirements"; then
        echo "the packages of the SDKs could not be fetched: the tests with $requirements were skipped"
        return
    fi
    $envs/uv/bin/uv pip install --quiet --python $envs/$name/bin/python --offline --reinstall --no-deps "$wheel"
    (cd packaging/python && "../../$envs/$name/bin/python" -m pytest -q -rs -p no:cacheprovider "$@")
}
clients="tests/test_endpoints.py tests/test_guard.py tests/test_examples.py"
# shellcheck disable=SC2086
tests before requirements-before.txt $clients
# shellcheck disable=SC2086
tests between requirements-between.txt $clients tests/test_habits.py::test_examples_have_types
tests tests requirements.txt
