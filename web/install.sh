#!/bin/sh
# Installs the packages that web/package-lock.json names, once for each lock file. It exits with 3
# if npm is missing, has too old a Node, or cannot reach the registry.
set -eu
cd "$(dirname "$0")"
if ! command -v npm >/dev/null; then
	echo 'web is built with npm, which is not installed: install Node.js 20.19 or later' >&2
	exit 3
fi
cmp -s package-lock.json node_modules/.installed && exit
npm ci --silent || exit 3
cp package-lock.json node_modules/.installed
