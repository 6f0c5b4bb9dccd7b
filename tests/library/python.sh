#!/bin/sh
# python.sh PYTHON LIBPDE SCRATCH: test_pde.py with this library; 77 where numpy is missing. PDE_PYTHON is another python.
rm -rf "$3" && mkdir -p "$3" || exit 2
PDE_LIBRARY=$2 XDG_CACHE_HOME=$3/cache exec "${PDE_PYTHON:-$1}" "$(dirname "$0")/test_pde.py" "$3"
