#!/bin/sh
# Serves the gallery of the console's components, which changes with their sources. With a folder
# it builds the gallery there instead.
set -eu
cd "$(dirname "$0")"
../install.sh # exits with 3 without npm or a network
if [ $# -eq 0 ]; then
	exec npx vite --config gallery.config.js
fi
exec npx vite build --config gallery.config.js --logLevel warn --emptyOutDir --outDir "$1"
