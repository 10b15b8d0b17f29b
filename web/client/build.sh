#!/bin/sh
# Builds the npm package of a version in a new folder: web/client/build.sh 0.1.0 FOLDER
set -eu
version=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")"
../install.sh
npm run --silent check
PORTICO_VERSION=$version npx vite build --logLevel warn --emptyOutDir --outDir "$out"
npx tsc --noEmit false --declaration --emitDeclarationOnly --rootDir src --outDir "$out/dist"
# The modules that only this package itself imports need no declarations.
(cd "$out/dist" && rm retry.d.ts stream.d.ts upload.d.ts)
# What embed.js contains has no declarations of its own.
grep -v "portico-space.js'" "$out/dist/embed.d.ts" >"$out/embed.d.ts"
mv "$out/embed.d.ts" "$out/dist/embed.d.ts"
# Without the part that would be the schema of all documents of whoever uses the package.
sed '/^import \* as gqlTada/,$d' src/graphql-env.d.ts >"$out/dist/graphql-env.d.ts"
cp README.md ../../LICENSE "$out"
