// The environment of the tests: Node, with modules compiled as for a browser, where the runes of Svelte work.
export default {
  name: 'page',
  viteEnvironment: 'client',
  setup: () => ({ teardown() {} }),
};
