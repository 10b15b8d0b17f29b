#!/bin/sh
# Builds web/dist/space from the sources in web/space. With -check it builds to a temporary
# folder and compares: the committed build must be the build of the committed sources.
set -eu
cd "$(dirname "$0")"
if ! command -v npm >/dev/null; then
	[ "${1:-}" = -check ] || { echo 'npm is not installed'; exit 1; }
	echo 'WARNING: npm is not installed: web/dist is NOT compared with web/space' >&2
	exit 0
fi
npm ci --silent
npx tsc
if [ "${1:-}" != -check ]; then
	exec npx vite build --logLevel warn
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
npx vite build --logLevel warn --emptyOutDir --outDir "$out"
diff -r "$out" ../dist/space || { echo 'web/dist is not the build of web/space: run make dist'; exit 1; }
