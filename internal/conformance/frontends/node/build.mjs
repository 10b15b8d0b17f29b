// Builds the applications: node build.mjs NAME... It generates their types from
// schema.graphqls, checks them with TypeScript, and bundles each to NAME/application.js.
// It runs in a copy of this folder that has the schema and node_modules.

import { transformAsync } from '@babel/core';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { introspection, possibleTypes, readSchema } from './schema.mjs';

const run = promisify(execFile);

// tool runs a command of a package. It must not print a warning either.
async function tool(name, ...args) {
  try {
    const { stdout, stderr } = await run(`node_modules/.bin/${name}`, args);
    if (/warning/i.test(stdout + stderr)) throw new Error(stdout + stderr);
  } catch (error) {
    throw new Error(`${name}: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  }
}

// relay compiles the graphql tags of Relay.
const relay = {
  name: 'relay',
  setup(bundle) {
    bundle.onLoad({ filter: /\/relay\/[^/]+\.tsx?$/ }, async ({ path }) => {
      const { code } = await transformAsync(await readFile(path, 'utf8'), {
        filename: path, babelrc: false, configFile: false,
        plugins: [['relay', { eagerEsModules: true }]],
        parserOpts: { plugins: ['typescript', 'jsx'] },
      });
      return { contents: code, loader: 'tsx' };
    });
  },
};

const sdl = await readFile('schema.graphqls', 'utf8');
await writeFile('schema.graphql', sdl); // the only extension that relay-compiler reads
const schema = readSchema(sdl);
await writeFile('apollo/possibletypes.json', JSON.stringify(possibleTypes(schema)));
await writeFile('urql/schema.json', JSON.stringify(introspection(schema)));
await Promise.all([tool('gql.tada', 'generate-output'), tool('relay-compiler', 'relay.config.json')]);
await Promise.all([
  tool('tsc'),
  ...process.argv.slice(2).map((name) => build({
    entryPoints: [`${name}/Application.tsx`], outfile: `${name}/application.js`,
    bundle: true, format: 'esm', target: 'es2022', jsx: 'automatic', plugins: [relay], logLevel: 'warning',
    // The libraries warn in development only.
    conditions: ['development', 'module'], define: { 'process.env.NODE_ENV': '"development"' },
  })),
]);
