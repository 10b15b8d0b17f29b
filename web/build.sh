#!/bin/sh
# Builds web/dist/NAME from the sources in web/NAME, with npm. With -check it builds to a
# temporary folder and compares: the committed build must be the build of the committed
# sources. Usage: build.sh NAME [-check]
set -eu
cd "$(dirname "$0")/$1"
if ! command -v npm >/dev/null; then
	[ "${2:-}" = -check ] || { echo 'npm is not installed'; exit 1; }
	echo "WARNING: npm is not installed: web/dist is NOT compared with web/$1" >&2
	exit 0
fi
# Installing takes longer than building, so what the lock file names is installed once.
if ! cmp -s package-lock.json node_modules/.installed; then
	npm ci --silent
	cp package-lock.json node_modules/.installed
fi
npm run --silent check
if [ "${2:-}" != -check ]; then
	exec npx vite build --logLevel warn
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
npx vite build --logLevel warn --emptyOutDir --outDir "$out"
diff -r "$out" "../dist/$1" || { echo "web/dist is not the build of web/$1: run make dist"; exit 1; }
