#!/bin/sh
# Builds web/dist/NAME from the sources in web/NAME, with npm. With -check it builds to a
# temporary folder and compares: the committed build must be the build of the committed
# sources. Usage: build.sh NAME [-check]
set -eu
cd "$(dirname "$0")/$1"
if ! command -v npm >/dev/null; then
	echo "web/$1 is built with npm, which is not installed: install Node.js 20.19 or later" >&2
	exit 1
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
