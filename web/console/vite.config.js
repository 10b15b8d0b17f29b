import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The committed build must not depend on where or when it was made: no source maps, no
// dates, no absolute paths, and names that are hashes of the content.
export default defineConfig({
  base: './',
  plugins: [svelte()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    manifest: true,
    license: true,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: { input: 'src/main.ts', checks: { pluginTimings: false } },
  },
  worker: { format: 'es' },
});
