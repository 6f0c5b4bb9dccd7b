#!/bin/sh
# Known factors that are sums, before sums over derivatives: no internal error, and the oracle agrees.
set -eu
. "$(dirname "$0")/support.sh"

agree 10_
finish
