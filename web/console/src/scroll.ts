// Regions that scroll.

/**
 * Makes a region a Tab stop while its content does not fit, because it is scrolled by the keyboard
 * then. A region whose content fits needs no focus. Returns a function that stops it.
 */
export function scrollStop(region: HTMLElement): () => void {
  const observer = new ResizeObserver(() => {
    const overflows = region.scrollWidth > region.clientWidth || region.scrollHeight > region.clientHeight;
    if (overflows) region.tabIndex = 0;
    else if (document.activeElement !== region) region.removeAttribute('tabindex'); // else the focus would be lost
  });
  observer.observe(region);
  for (const child of region.children) observer.observe(child);
  return () => {
    observer.disconnect();
  };
}
