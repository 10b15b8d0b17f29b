#!/bin/sh
# Builds web/dist from the sources in web/space and web/console, with npm. With -check it builds to
# a temporary folder and compares: the committed build must be the build of the committed sources.
set -eu
cd "$(dirname "$0")"
./install.sh
out=$PWD/dist
if [ "${1:-}" = -check ]; then
	out=$(mktemp -d)
	trap 'rm -rf "$out"' EXIT
fi
build() {
	(cd "$1" && npm run --silent check && npx vite build --logLevel warn --emptyOutDir --outDir "$out/$1")
}
build console &
build space
wait "$!"
if [ "$out" != "$PWD/dist" ]; then
	for name in console space; do
		diff -r "$out/$name" "dist/$name" || { echo "web/dist is not the build of web/$name: run make dist"; exit 1; }
	done
fi
