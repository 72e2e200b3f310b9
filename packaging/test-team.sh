#!/bin/sh
# What a team does with a repository of transcripts: the first run fails with annotations, a baseline lets it pass, a new fault
# fails again, `fix -w` repairs what can be repaired, and the hook stops a commit of what is broken.
#
# It needs git and an installed replaylint on PATH; without pre-commit the hook is left out.
set -eu
cd "$(dirname "$0")/.."
checkout=$PWD
. packaging/scratch.sh
needs "the way of a team was not tried" git replaylint
unset REPLAYLINT_OUTPUT_FORMAT
# Runs a command that must exit with a code.
exits() {
    want=$1 && shift
    code=0
    "$@" >"$scratch/out" 2>&1 || code=$?
    [ $code = "$want" ] || fail "exit code $code, not $want: $*"
}
annotations() {
    [ "$(grep -c '^::error' "$scratch/out")" = "$1" ] || fail "not $1 annotations"
}

# Ten transcripts of three APIs, each with a call that was never answered or a result without its call.
mkdir -p "$scratch/project/transcripts"
cd "$scratch/project"
git init --quiet
chat() {
    printf '{"model": "gpt-4o", "messages": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "tool_calls": [{"id": "call_%s", "type": "function", "function": {"name": "weather", "arguments": "{}"}}]}, {"role": "user", "content": "Well?"}]}\n' "$1"
}
anthropic() {
    printf '{"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": [{"role": "user", "content": "Weather?"}, {"role": "assistant", "content": [{"type": "text", "text": "I will look."}, {"type": "tool_use", "id": "toolu_%s", "name": "weather", "input": {}}]}, {"role": "user", "content": "Well?"}]}\n' "$1"
}
responses() {
    printf '{"model": "gpt-4.1", "input": [{"role": "user", "content": "Weather?"}, {"type": "function_call_output", "call_id": "call_%s", "output": "22"}, {"role": "user", "content": "Well?"}]}\n' "$1"
}
for n in 1 2 3 4; do chat "old$n" >"transcripts/chat$n.json"; done
for n in 1 2 3; do
    anthropic "old$n" >"transcripts/anthropic$n.json"
    responses "old$n" >"transcripts/responses$n.jsonl"
done

exits 1 replaylint check --output-format github .
annotations 10
exits 0 replaylint baseline write .
exits 0 replaylint check --baseline .replaylint-baseline.json --output-format github .
annotations 0

chat new >transcripts/new.json
exits 1 replaylint check --baseline .replaylint-baseline.json --output-format github .
annotations 1
said 'file=transcripts/new.json'

exits 0 replaylint fix -w --force .
exits 0 replaylint check .
exits 1 replaylint baseline check .
said 'no longer found'
exits 0 replaylint baseline prune .
exits 0 replaylint baseline check .
# The copies of the originals are beside them; a second repair has nothing to do.
[ "$(find transcripts -name '*.bak' | wc -l)" = 11 ] || fail "not 11 backups"
exits 0 replaylint fix .
echo "a team: baseline, new faults and repairs work"

needs "the hook was not tried" pre-commit
find transcripts \( -name '*.bak' -o -name '*.bak.json' \) -exec rm {} +
use_hooks "$checkout" replaylint-check-system
exits 0 pre-commit install
exits 0 commit_all .
chat late >transcripts/late.json
exits 1 commit_all .
said 'RL501'
echo "a team: the hook stops a broken commit"
