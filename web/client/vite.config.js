import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';

/** Writes package.json for the registry: its version, and no packages, because the modules contain them. */
const manifest = {
  name: 'manifest',
  generateBundle() {
    const { scripts, dependencies, ...content } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
    content.version = process.env.PORTICO_VERSION ?? content.version;
    this.emitFile({ type: 'asset', fileName: 'package.json', source: `${JSON.stringify(content, null, 2)}\n` });
  },
};

// As of the pages, the build must not depend on where or when it was made.
export default defineConfig({
  plugins: [manifest],
  // Browsers have no process, and vite leaves this to whoever uses a library.
  define: { 'process.env.NODE_ENV': '"production"' },
  build: {
    target: 'es2022',
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    lib: { entry: { index: 'src/index.ts', embed: 'src/embed.ts' }, formats: ['es'] },
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: { output: { entryFileNames: 'dist/[name].js', chunkFileNames: 'dist/[name].js' } },
  },
});
