// What a person saw of their figures the last time that they were here, which this browser keeps.

export interface Figures {
  readonly visits: number;
  readonly followers: number;
}

type Stored = Figures & { readonly at: number };

/** How long somebody has to be away, in milliseconds, until what happens is news. */
const away = 3_600_000;

const key = (userId: string) => `portico.figures.${userId}`;

/** Returns the figures of the last time, or undefined if it was the first or less than an hour ago. */
export function lastTime(userId: string, now: number): Stored | undefined {
  const stored = read(userId);
  return stored && now - stored.at >= away ? stored : undefined;
}

/** Keeps the figures for the next time, unless those of this visit are kept already. */
export function remember(userId: string, { visits, followers }: Figures, now: number): void {
  const stored = read(userId);
  if (stored && now - stored.at < away) return;
  localStorage.setItem(key(userId), JSON.stringify({ visits, followers, at: now } satisfies Stored));
}

function read(userId: string): Stored | undefined {
  try {
    const { visits, followers, at } = JSON.parse(localStorage.getItem(key(userId)) ?? '') as Stored;
    return [visits, followers, at].every(Number.isFinite) ? { visits, followers, at } : undefined;
  } catch {
    return undefined;
  }
}
