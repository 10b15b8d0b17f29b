// The modules of the pages, for tests.

import { register } from 'node:module';

register('./typescript.mjs', import.meta.url);

/** Imports a module of a page, such as 'space/edit/saver.ts'. */
export const source = (path) => import(new URL(path.replace('/', '/src/'), import.meta.url).href);

/** Waits until all promises that can settle have settled. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
