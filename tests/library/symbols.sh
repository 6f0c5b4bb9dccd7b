#!/bin/sh
# symbols.sh LIBPDE HEADER MAP: the library shows the functions of pde.h and nothing else, as the map names them; every
# function that was ever shown is there.
shown=$(nm -D --defined-only "$1" | awk '$2 ~ /[TDBRV]/ { sub(/@.*/, "", $3); print $3 }' | sort -u)
header=$(grep -oE '\bpde_[a-z_]+\(' "$2" | tr -d '(' | sort -u)
map=$(grep -oE '\bpde_[a-z_]+;' "$3" | tr -d ';' | sort -u)
failed=0
[ "$shown" = "$header" ] || { echo "FAIL: shown: $shown; in pde.h: $header"; failed=1; }
[ "$shown" = "$map" ] || { echo "FAIL: shown: $shown; in pde.map: $map"; failed=1; }
# of version 1 of the ABI; a new name is added here and in the map, none is taken out
for name in abi columns compile compile_file error_bars evaluate failure_code failure_diagnostics failure_free \
    failure_message load problem_diagnostics problem_free problem_show run_directory run_field run_fields run_free \
    run_inputs run_report run_title solve text_free version; do
    echo "$shown" | grep -qx "pde_$name" || { echo "FAIL: pde_$name is gone"; failed=1; }
done
echo "$((1 - failed)) passed, $failed failed"
[ $failed = 0 ]
