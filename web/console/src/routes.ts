// The addresses of the console and their views. Tests read the paths from this file, and look at
// each of them: write each path as a literal.

import type { Component } from 'svelte';
import type { MessageKey } from './i18n.svelte.ts';
import File from './views/File.svelte';
import Space from './views/Space.svelte';
import Spaces from './views/Spaces.svelte';

/** A view that is loaded when somebody opens it. */
type Load = () => Promise<{ default: Component<Record<string, never>> }>;

/** A route has a view, a view of the object whose id ends the path, or a view that is loaded. */
type Route = { section: string } & (
  | { path: string; view: Component<Record<string, never>> }
  | { path: `${string}/:id`; viewOf: Component<{ id: string }> }
  | { path: string; load: Load; waiting: MessageKey }
);

const activity: Load = () => import('./views/Activity.svelte');
const files: Load = () => import('./views/Files.svelte');
const account: Load = () => import('./views/Account.svelte');
const operator: Load = () => import('./operator/Operator.svelte');

const routes: readonly Route[] = [
  { path: '/', section: '/', view: Spaces },
  { path: '/spaces', section: '/', view: Spaces },
  { path: '/spaces/:id', section: '/', viewOf: Space },
  { path: '/files', section: '/files', load: files, waiting: 'files.loading' },
  { path: '/files/:id', section: '/files', viewOf: File },
  { path: '/activity', section: '/activity', load: activity, waiting: 'jobs.loading' },
  { path: '/account', section: '/account', load: account, waiting: 'account.loading' },
  { path: '/operator', section: '/operator', load: operator, waiting: 'operator.loading' },
  { path: '/operator/spaces', section: '/operator', load: operator, waiting: 'operator.loading' },
  { path: '/operator/server', section: '/operator', load: operator, waiting: 'operator.loading' },
  { path: '/operator/audit', section: '/operator', load: operator, waiting: 'operator.loading' },
];

/** Returns the route of a path, if there is one, and the id at the end of the path. */
export function find(path: string): { route: Route | undefined; id: string } {
  const route = routes.find((route) => route.path === path);
  if (route) return { route, id: '' };
  const end = path.lastIndexOf('/') + 1;
  const id = decode(path.slice(end));
  return { route: id === '' ? undefined : routes.find((route) => route.path === `${path.slice(0, end)}:id`), id };
}

/** Returns a part of a path without percent-encoding, or '' if it is not UTF-8. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
