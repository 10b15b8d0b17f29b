#!/bin/sh
# Serves the gallery of the console's components, which changes with their sources. With a folder
# it builds the gallery there instead.
set -eu
cd "$(dirname "$0")"
if ! cmp -s package-lock.json node_modules/.installed; then
	npm ci --silent || exit 3 # no npm, or no network
	cp package-lock.json node_modules/.installed
fi
if [ $# -eq 0 ]; then
	exec npx vite --config gallery.config.js
fi
exec npx vite build --config gallery.config.js --logLevel warn --emptyOutDir --outDir "$1"
