# table.awk: rows of table.sh from a PTX file (how many threads a block has) and what ptxas -v says of it.
# Limits of a multiprocessor are those of NVIDIA's programming guide.
BEGIN {
    warps["sm_75"] = 32; blocks["sm_75"] = 16; shared["sm_75"] = 65536
    warps["sm_80"] = 64; blocks["sm_80"] = 32; shared["sm_80"] = 167936
    warps["sm_90"] = 64; blocks["sm_90"] = 32; shared["sm_90"] = 233472
    warps["sm_100"] = 64; blocks["sm_100"] = 32; shared["sm_100"] = 233472
    warps["sm_120"] = 48; blocks["sm_120"] = 24; shared["sm_120"] = 102400
}

function least(a, b) { return a < b ? a : b }
function up(n, step) { return int((n + step - 1) / step) * step }

# Registers are given out by 256 for a warp; every block has 1 KB of shared memory for the system,
# but for sm_75.
function occupancy(threads, registers, bytes,    per, held, n) {
    if (!(arch in warps))
        return 0
    per = up(threads, 32) / 32
    held = least(blocks[arch], int(warps[arch] / per))
    if (registers > 0)
        held = least(held, int(int(65536 / up(registers * 32, 256)) / per))
    n = up(bytes, 128) + (arch == "sm_75" ? 0 : 1024)
    if (n > 0)
        held = least(held, int(shared[arch] / n))
    return 100 * held * per / warps[arch]
}

# Whether a kernel has all the registers that its launch bounds leave it: then what is spilled had to be.
# Otherwise ptxas has spilled to let one more block run, as it does for sm_100 and sm_120.
function at_limit(threads, registers, blocks_wanted,    limit) {
    limit = int(65536 / (threads * (blocks_wanted ? blocks_wanted : 1)) / 8) * 8
    return registers >= least(limit, 255) - 8
}

/\.entry/ { entry = $0; sub(/.*\.entry /, "", entry); sub(/[ (].*/, "", entry) }
/^\.(max|req)ntid/ { gsub(/,/, " "); threads[entry] = $2 * ($3 ? $3 : 1) * ($4 ? $4 : 1) }
/^\.minnctapersm/ { wanted[entry] = $2 + 0 }
/Compiling entry function/ { kernel = $0; sub(/.*function '/, "", kernel); sub(/'.*/, "", kernel) }
/bytes spill stores/ { for (k = 2; k <= NF; k++) if ($k == "bytes" && $(k + 1) == "spill") spilled += $(k - 1) }
/ptxas info *: Used [0-9]+ registers/ {
    for (k = 2; k <= NF; k++) {
        if ($k ~ /^registers/) registers = $(k - 1)
        if ($k == "bytes" && $(k + 1) ~ /^smem/) bytes = $(k - 1)
    }
    t = kernel in threads ? threads[kernel] : 256
    mark = spilled > 0 && at_limit(t, registers, wanted[kernel]) ? "!" : ""
    sub(/^pde_/, "", kernel)
    sub(/_launch$/, "", kernel)
    printf "%-6s %-6s %-32s %-28s %7d %9d %7s %7d %8d%%\n", arch, type, name, kernel, t, registers, spilled mark, bytes,
        occupancy(t, registers, bytes)
    spilled = bytes = registers = 0
}
