import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Tests of modules without a browser: the order of events that a test of a whole page cannot force.
export default defineConfig({
  plugins: [svelte({ configFile: 'console/svelte.config.js' })],
  resolve: { conditions: ['browser'] },
  test: {
    include: ['{console,space}/src/**/*.test.js', 'upload/*.test.js'],
    environment: './vitest.page.js',
    setupFiles: './vitest.setup.js',
    restoreMocks: true,
    reporters: 'dot',
    silent: 'passed-only',
    server: { deps: { inline: [/svelte/] } },
  },
});
