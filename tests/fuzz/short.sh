#!/bin/sh
# short.sh: a short run of both libFuzzer targets under AddressSanitizer and UndefinedBehaviorSanitizer.
# Usage: short.sh CLANG SOURCE_DIR GENERATED_DIR WORK_DIR SECONDS "sources"
# Exit code 77 (skipped) where clang has no fuzzer runtime. The long runs use PDE_FUZZ=ON.
set -eu
clang=$1 source=$2 generated=$3 work=$4 seconds=$5 files=$6
mkdir -p "$work/corpus"
cd "$work"
rm -f crash-* leak-* timeout-* oom-*

echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n);
int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { return d && n ? 0 : 0; }' >probe.c
"$clang" -fsanitize=fuzzer,address,undefined probe.c -o probe 2>/dev/null ||
    { echo "no fuzzer runtime for $clang: skipped"; exit 77; }

flags="-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
    -w -DPDE_VERSION=\"fuzz\" -DPDE_CLANG=\"$clang\" -I$source -I$source/compiler -I$source/runtime
    -I$source/grammar -I$generated"
# objects of other headers or tables would crash for reasons of their own
[ -e stamp ] && [ -z "$(find "$source/compiler" "$source/runtime" "$source/grammar" "$generated" -newer stamp |
    head -n 1)" ] || rm -f ./*.o
touch stamp
for file in $files "$generated"/*.c; do
    object=$(basename "$file" .c).o
    # shellcheck disable=SC2086
    [ "$object" -nt "$file" ] || "$clang" $flags -c "$file" -o "$object"
done
for folder in examples tests/lang/ok tests/lang/err; do
    cp "$source/$folder"/*.pde corpus/
done
for target in parse compile; do
    # shellcheck disable=SC2086
    "$clang" $flags -c "$source/tests/fuzz/fuzz_$target.c" -o "target_$target.obj"
    "$clang" -fsanitize=fuzzer,address,undefined "target_$target.obj" ./*.o -lmd -lm -o "fuzz_$target"
    "./fuzz_$target" -dict="$source/tests/fuzz/pde.dict" -max_len=2000 -timeout=30 -rss_limit_mb=3000 \
        -max_total_time="$seconds" -verbosity=0 -print_final_stats=1 corpus 2>&1 | tail -n 12
    echo "1 passed, 0 failed"
done | awk '{ print } /stat::number_of_executed_units/ { n += $2 } /passed/ { p++ }
    END { exit !(p == 2 && n > 0) }'
found=$(find . -maxdepth 1 \( -name 'crash-*' -o -name 'leak-*' -o -name 'timeout-*' -o -name 'oom-*' \))
[ -z "$found" ] || { echo "found: $found"; exit 1; }
