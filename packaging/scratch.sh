# Read by the tests that work in a scratch repository: what they need, how they fail, and the hooks of this checkout.
#
# Sets $scratch, a folder that is removed at the end.

# needs WHAT TOOL...: ends the script, with a word, where a tool is missing.
needs() {
    what=$1 && shift
    for tool; do
        if ! command -v "$tool" >/dev/null 2>&1; then
            echo "no $tool found: $what"
            exit 0
        fi
    done
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Nothing of the user's pre-commit is used or left behind.
export PRE_COMMIT_HOME="$scratch/cache"

# What the last command said is in $scratch/out.
fail() {
    echo "error: $*" >&2
    sed 's/^/    /' "$scratch/out" >&2
    exit 1
}
said() {
    grep -q -- "$1" "$scratch/out" || fail "not said: $1"
}

commit_all() {
    git -C "$1" add -A
    git -C "$1" -c user.name=test -c user.email=test@localhost commit --quiet --message test
}

# use_hooks CHECKOUT ID...: the repository here uses these hooks as they are in the checkout, committed or not.
use_hooks() {
    mkdir "$scratch/hooks"
    cp "$1/.pre-commit-hooks.yaml" "$scratch/hooks"
    git -C "$scratch/hooks" init --quiet
    commit_all "$scratch/hooks"
    shift
    printf 'repos:\n  - repo: file://%s\n    rev: %s\n    hooks:\n' "$scratch/hooks" "$(git -C "$scratch/hooks" rev-parse HEAD)" >.pre-commit-config.yaml
    printf '      - id: %s\n' "$@" >>.pre-commit-config.yaml
}
