import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// The gallery of the components: a page for people who change them. The product's build does not
// know it.
export default defineConfig({
  plugins: [svelte()],
  server: { open: '/gallery.html' },
  build: { target: 'es2022', rolldownOptions: { input: 'gallery.html', checks: { pluginTimings: false } } },
});
