// Saves files on the person's computer.

/** The files that browsers show when their address is opened. */
const shown = /\.(avif|css|gif|gltf|jpe?g|json|lcc2?|m?js|m4a|mov|mp[34]|og[ag]|png|svg|wav|web[mp])$/i;

function click(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}

/**
 * Saves a file. A link saves only what is at the origin of the page or says itself that it is to be saved. From
 * another origin a browser would show a picture in place of the page, so it is read first.
 */
export async function save(address: string, name: string): Promise<void> {
  const { origin, pathname } = new URL(address, location.href);
  if (origin === location.origin || !shown.test(pathname)) {
    click(address, name);
    return;
  }
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the file was not sent: ${response.status}`);
  const copy = URL.createObjectURL(await response.blob());
  click(copy, name);
  // The browser has the content when it has started to save it, which nothing announces.
  setTimeout(() => {
    URL.revokeObjectURL(copy);
  }, 60_000);
}
