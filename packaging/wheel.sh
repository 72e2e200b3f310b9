#!/bin/sh
# Builds the Python wheel from this checkout into target/wheels, and prints its path.
#
#   packaging/wheel.sh [--quick] [--glibc VERSION]
#
# --quick          little optimisation: for tests
# --glibc 2.17     runs with this glibc and every later one (manylinux); zig links it, which pip fetches
set -eu
cd "$(dirname "$0")/.."
while [ $# -gt 0 ]; do
    case $1 in
    --quick) export REPLAYLINT_PROFILE=quick ;;
    --glibc) export REPLAYLINT_GLIBC="${2:?--glibc needs a version}" && shift ;;
    *) echo "error: unknown option $1" >&2 && exit 2 ;;
    esac
    shift
done
python=${PYTHON:-python3}
if ! command -v "$python" >/dev/null 2>&1; then
    echo "error: no $python found" >&2
    exit 2
fi
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target/wheel/cargo}"
out=target/wheels
rm -rf $out
[ -d target/wheel/pip ] || "$python" -m venv target/wheel/pip
bin=target/wheel/pip/bin
# On Windows.
[ -d $bin ] || bin=target/wheel/pip/Scripts
$bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $out packaging/python >&2
ls $out/replaylint-*.whl
