// What this browser remembers of its visitor.

/** Returns a setting; null for none. A frame without an origin has no storage. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(`portico.${name}`);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`portico.${name}`, value);
  } catch {
    // It lasts as long as the page.
  }
}
