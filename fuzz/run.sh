#!/bin/sh
# Runs fuzz targets one after the other, so many seconds each: fuzz/run.sh SECONDS [TARGET...]. It needs a nightly
# toolchain, cargo-fuzz and Python, builds without sanitizers (the crate has unsafe code in its scanner only), and stops
# at the first input that fails. Such an input belongs into fuzz/regressions/TARGET/, where `cargo test` runs it.
set -eu
cd "$(dirname "$0")"
seconds=${1:?"usage: fuzz/run.sh SECONDS [TARGET...]"}
shift
[ $# -gt 0 ] || set -- scan read fix convert diff recover explain config
python3 seeds.py
cargo +nightly fuzz build --sanitizer none
failed=0
for target in "$@"; do
    printf '\n== %s\n' "$target"
    # An input has 16 KiB at most: 2 GB and 20 seconds are far above what it may take.
    nice -n 19 cargo +nightly fuzz run --sanitizer none "$target" "corpus/$target" -- \
        -max_total_time="$seconds" -dict=corpus/words.dict -max_len=16384 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -verbosity=1 || failed=1
done
exit $failed
