// The site of an application: an origin of its own, not the server's.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

// serveSite serves an application that calls graphql, with users from issuer, and returns
// the site's address.
export async function serveSite(name, addresses) {
  const files = {
    '/': ['text/html', `<!doctype html><title>Spaces by ${name}</title><div id="root"></div>
      <script type="module" src="/application.js"></script>`],
    '/application.js': ['text/javascript', await readFile(`${name}/application.js`)],
    '/site.json': ['application/json', JSON.stringify(addresses)],
    '/favicon.ico': ['image/x-icon', ''],
  };
  const site = createServer(({ url }, response) => {
    const [type, content] = files[new URL(url, 'http://site').pathname] ?? [];
    if (type) response.writeHead(200, { 'Content-Type': type }).end(content);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  site.unref();
  return `http://127.0.0.1:${site.address().port}/`;
}
