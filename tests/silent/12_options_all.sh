#!/bin/sh
# 12_options.sh with all pairs of options: some minutes.
pdec_stride=1 pderun_stride=1 exec sh "$(dirname "$0")/12_options.sh" "$@"
