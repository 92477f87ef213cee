#!/usr/bin/env bash
# Installs the packages of art that the renderer reads: the apt lines of the lists beside this script (Debian, Ubuntu).
# `--list` prints their names and installs nothing. A package that this system's lists don't know is left out.
set -euo pipefail
cd "$(dirname "$0")"
packages=$(sed -n 's/^apt: *//p' packages.txt cards.txt surfaces.txt | tr ' ' '\n' | sort -u)
if [ "${1:-}" = "--list" ]; then
  echo "$packages"
  exit 0
fi
# shellcheck disable=SC2086 # one word a package
known=$({ apt-cache show --no-all-versions $packages 2>/dev/null || true; } | sed -n 's/^Package: *//p' | sort -u)
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive exec apt-get install -y -qq --no-install-recommends $known
