#!/bin/sh
# 16_distributions.sh with every clang that is here.
compilers=$(for n in 19 18 17 16 15 14; do command -v clang-$n || true; done) exec sh "$(dirname "$0")/16_distributions.sh" "$@"
