// Addresses of the console. A link within it changes the view without loading a page; every
// address can be opened, shared and gone back to.

const base = '/console';

class Router {
  /** The path below /console: "/" or "/spaces/ID". */
  path = $state(read());
  query = $state.raw(new URLSearchParams(location.search));

  constructor() {
    addEventListener('popstate', () => this.update());
    document.addEventListener('click', (event) => this.intercept(event));
  }

  /** Goes to a path of the console. Replace leaves no entry in the history. */
  go(path: string, replace = false): void {
    history[replace ? 'replaceState' : 'pushState'](null, '', to(path));
    this.update();
    if (!replace) scrollTo(0, 0);
  }

  private update(): void {
    this.path = read();
    this.query = new URLSearchParams(location.search);
  }

  private intercept(event: MouseEvent): void {
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const url = new URL(link.href, location.href);
    if (link.target || link.hasAttribute('download') || url.origin !== location.origin || !isOurs(url.pathname) || url.hash) return;
    event.preventDefault();
    this.go(url.pathname.slice(base.length) + url.search);
  }
}

function isOurs(path: string): boolean {
  return path === base || path.startsWith(`${base}/`);
}

function read(): string {
  const path = location.pathname.slice(base.length).replace(/\/+$/, '');
  return path === '' ? '/' : path;
}

export const router = new Router();

/** Returns the address of a path of the console, for links. */
export function to(path: string): string {
  return base + path.replace(/^\/(?=\?|$)/, '');
}
