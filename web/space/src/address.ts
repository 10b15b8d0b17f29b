// Which addresses the page may load.

/** Reports whether the page's policy allows loading from an address. */
export function mayLoad(scene: HTMLElement, address: string): boolean {
  if (!URL.canParse(address, location.href)) return false;
  const { origin } = new URL(address, location.href);
  return origin === location.origin || (scene.dataset['files'] ?? '').split(' ').includes(origin);
}
