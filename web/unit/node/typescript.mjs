// Hooks of node:module: Node imports the TypeScript of the pages, without its types, and their JSON.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };

export async function load(url, context, next) {
  if (!url.endsWith('.ts') && !url.endsWith('.json')) return next(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  if (url.endsWith('.json')) return { format: 'module', source: `export default ${source}`, shortCircuit: true };
  return { format: 'module', source: ts.transpileModule(source, { compilerOptions }).outputText, shortCircuit: true };
}
