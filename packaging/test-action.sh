#!/bin/sh
# Tries action.yml: its steps are run here with a wheel, on a folder with a broken conversation and one without.
#
#   packaging/test-action.sh WHEEL
set -eu
cd "$(dirname "$0")/.."
wheel=$(realpath "${1:?which wheel}")
python=${PYTHON:-python3}
if ! "$python" -c 'import yaml' 2>/dev/null; then
    echo "no PyYAML found: the steps of the action were not run"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "error: $*" >&2
    sed 's/^/    /' "$scratch/out" >&2
    exit 1
}
run() {
    code=0
    "$python" packaging/run_action.py --workspace "$scratch/project" "package=$wheel" "$@" >"$scratch/out" 2>&1 || code=$?
}

mkdir -p "$scratch/project/two words"
cp testdata/readme/weather.json "$scratch/project/two words/"
run "paths=two words" sarif=true
[ $code = 1 ] || fail "exit code $code, not 1"
grep -q '^::error .*file=two words/weather.json.*RL101' "$scratch/out" || fail "no annotation"
grep -q '^output exit-code: 1' "$scratch/out" || fail "no output"
grep -q "^not run: github/codeql-action/upload-sarif@[0-9a-f]* with {'sarif_file': 'replaylint.sarif'" "$scratch/out" || fail "no upload"
"$python" -c 'import json, sys; assert json.load(open(sys.argv[1]))["runs"][0]["results"][0]["ruleId"] == "RL101"' \
    "$scratch/project/replaylint.sarif" || fail "no SARIF report"

# Two options, and no upload.
run "args=--ignore=RL101
--target=openai"
[ $code = 0 ] || fail "exit code $code, not 0"
if grep -q '^not run' "$scratch/out"; then fail "an upload that was not asked for"; fi
# An input is text, never a command.
run 'paths=$(touch injected)'
[ $code = 2 ] && [ ! -e "$scratch/project/injected" ] || fail "exit code $code, not 2"
echo "action.yml: its steps work"
