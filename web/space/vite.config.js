import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { closuresForText } from './closures.js';

const source = (name) => fileURLToPath(new URL(`src/${name}`, import.meta.url));

// The committed build must not depend on where or when it was made: no source maps, no
// dates, no absolute paths, and names that are hashes of the content.
export default defineConfig({
  base: './',
  resolve: {
    // The engine's decoders run in workers that the policy of the page stops.
    alias: [
      { find: /^.*\/draco-decoder\.js$/, replacement: source('decode/draco.ts') },
      { find: /^.*\/handlers\/basis\.js$/, replacement: source('decode/basis.ts') },
    ],
  },
  worker: { plugins: () => [closuresForText()] },
  build: {
    outDir: '../dist/space',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    license: true,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 3000,
    rolldownOptions: {
      input: 'src/main.ts',
      output: {
        // The engine is by far the largest part and changes only with its version, so
        // browsers keep it when the rest changes. Its gizmos are for owners who edit, and its
        // effects for spaces with a look. What loads chunks is apart: in the engine, it made the
        // controls and the reading of the space wait for all of it.
        codeSplitting: {
          groups: [
            { name: 'load', test: /preload-helper/, priority: 1 },
            // What the entry always loads is one file where others import it, too: many small ones take longer.
            { name: 'base', test: /src[\\/](?:staticgates|quality|remembered|i18n|ui[\\/](?:share|elements|icons))\.ts$/, priority: 1 },
            {
              name: 'engine',
              test: /node_modules[\\/]playcanvas(?!.*[\\/](?:gizmo[\\/]|render-pass(?:es)?[\\/]|compose[\\/]|collections[\\/]compose-|env-lighting|reproject-texture|xr[\\/]xr-))/,
            },
          ],
        },
      },
    },
  },
});
