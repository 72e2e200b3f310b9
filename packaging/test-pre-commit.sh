#!/bin/sh
# Tries the hooks with pre-commit in a scratch repository: a broken conversation stops the commit, a repair that loses
# nothing is made, any other is reported, and other JSON passes.
#
#   packaging/test-pre-commit.sh [--rust]
#
# It needs git, pre-commit and an installed replaylint on PATH. --rust tries the hook that builds from source, too.
set -eu
cd "$(dirname "$0")/.."
checkout=$PWD
. packaging/scratch.sh
needs "the hooks of pre-commit were not tried" git pre-commit replaylint

mkdir "$scratch/project"
cd "$scratch/project"
git init --quiet
use_hooks "$checkout" replaylint-fix-system replaylint-check-system
printf '{"name": "not-a-conversation", "version": "1.0.0"}\n' >package.json
pre-commit install >"$scratch/out"
commit_all . >"$scratch/out" 2>&1 || fail "JSON that is not a conversation does not pass"

cp "$checkout/testdata/readme/weather.json" .
if commit_all . >"$scratch/out" 2>&1; then
    fail "a broken conversation was committed"
fi
said 'RL101'
said 'it would lose the call (--lossless)'
cmp -s weather.json "$checkout/testdata/readme/weather.json" || fail "a lossy repair was made"

git rm --quiet --cached weather.json && rm weather.json
cp "$checkout/testdata/readme/edited.json" .
if commit_all . >"$scratch/out" 2>&1; then
    fail "a repair was committed unseen"
fi
said 'files were modified by this hook'
if cmp -s edited.json "$checkout/testdata/readme/edited.json"; then fail "a lossless repair was not made"; fi
[ "$(ls)" = "edited.json
package.json" ] || fail "more files than before: $(ls)"
commit_all . >"$scratch/out" 2>&1 || fail "the repaired conversation does not pass"
echo "pre-commit: the installed hooks work"

[ "${1:-}" = --rust ] || exit 0
pre-commit try-repo "$checkout" replaylint-check --all-files >"$scratch/out" 2>&1 || fail "the hook that is built from source"
echo "pre-commit: the hook that is built from source works"
