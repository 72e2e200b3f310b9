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
for tool in git pre-commit replaylint; do
    if ! command -v $tool >/dev/null 2>&1; then
        echo "no $tool found: the hooks of pre-commit were not tried"
        exit 0
    fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Nothing of the user's pre-commit is used or left behind.
export PRE_COMMIT_HOME="$scratch/cache"
fail() {
    echo "error: $*" >&2
    sed 's/^/    /' "$scratch/out" >&2
    exit 1
}
said() {
    grep -q -- "$1" "$scratch/out" || fail "not said: $1"
}

# The hooks of this checkout as they are, committed or not.
mkdir "$scratch/hooks" "$scratch/project"
cp .pre-commit-hooks.yaml "$scratch/hooks"
hooks=$scratch/hooks
commit_all() {
    git -C "$1" add -A
    git -C "$1" -c user.name=test -c user.email=test@localhost commit --quiet --message test
}
git -C "$hooks" init --quiet
commit_all "$hooks"

cd "$scratch/project"
git init --quiet
cat >.pre-commit-config.yaml <<YAML
repos:
  - repo: file://$hooks
    rev: $(git -C "$hooks" rev-parse HEAD)
    hooks:
      - id: replaylint-fix-system
      - id: replaylint-check-system
YAML
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
