#!/bin/sh
# Runs a program on the samples of testdata, alone and repeated to some megabytes, with each command that people wait for. A
# build that counts what it does learns from it what is worth inlining (`packaging/binary.sh --trained`).
#
#   packaging/train.sh PROGRAM
set -eu
program=$(cd "$(dirname "${1:?which program}")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/../testdata"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# Findings and refusals are what it is run for.
run() { "$program" "$@" >/dev/null 2>&1 || [ $? -le 2 ]; }

# A line of each session or log again and again, as long files are.
mkdir "$out/long"
for file in formats/*/*.jsonl; do
    size=$(wc -c <"$file")
    [ "$size" -lt 20000 ] || continue
    long=$out/long/$(echo "$file" | tr / -)
    count=$((200000 / (size + 1)))
    while [ $count -gt 0 ]; do
        cat "$file"
        echo
        count=$((count - 1))
    done >"$long"
done
for folder in formats cases "$out/long"; do
    for command in check "check --output-format json" fix "fix --fix-warnings" tree; do
        # shellcheck disable=SC2086 # a command and its options
        run $command --isolated -j 1 "$folder"
    done
    for dialect in responses chat anthropic gemini bedrock; do
        run convert --isolated -j 1 --to $dialect -o "$out/$dialect" "$folder"
    done
done
