# Sourced by faults.sh and same.sh: what they were called with, and their scratch folder, in which they work.
. "$(dirname "$0")/../../counted.sh"
pdec=$1 pderun=$2 soft=$3 examples=$5 size=$6 scratch=$7
export PDE_TRANSPORT=$4
fresh "$scratch"
mkdir -p "$XDG_CACHE_HOME"
cd "$scratch" || exit 1
