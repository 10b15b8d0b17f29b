#!/bin/sh
# Runs a script of web/package.json. Where Node is missing or too old, or npm has no network, it does
# nothing; in CI, npm needs the network.
set -eu
cd "$(dirname "$0")"
if ! ./install.sh; then
	echo "npm run $1 is skipped: web needs Node.js 20.19 or later with npm, and a network" >&2
	command -v npm >/dev/null && [ -n "${CI:-}" ] && exit 1
	exit 0
fi
exec npm run --silent "$1"
