#!/bin/sh
# Derivatives by the coordinate where a maximum or minimum is taken: directions of each point.
set -eu
. "$(dirname "$0")/support.sh"

agree 11_
finish
