// Compares the pages that a script has visited with the routes of the console. ROUTES has their paths, as JSON.
const visited = new Set();

// visit notes that a page was visited.
export function visit(page) {
  visited.add(new URL(page.url()).pathname.replace(/^\/console(?=\/|$)/, '') || '/');
}

// unvisited returns the routes that no visited page has.
export function unvisited() {
  return JSON.parse(process.env.ROUTES).filter((route) => {
    const pattern = new RegExp(`^${route.replace(':id', '[^/]+')}$`);
    return ![...visited].some((path) => pattern.test(path));
  });
}
