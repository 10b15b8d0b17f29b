// Finds out whether nobody is signed in any more. A change of the account gives the session of this
// browser a new cookie: what was sent with the old one is refused, although the person stays signed
// in.

import { session } from './session.svelte.ts';

let confirming = false;

/**
 * Asks the server, twice if need be, and sets session.ended if nobody is signed in any more. The new
 * cookie may arrive after the refusal, so it waits for a second, and then for two.
 */
export async function confirmEnd(): Promise<void> {
  if (confirming || session.ended) return;
  confirming = true;
  let isEnded = true;
  for (let wait = 1000; isEnded && wait < 3000; wait *= 2) {
    await new Promise((resolve) => {
      setTimeout(resolve, wait);
    });
    isEnded = !(await isSignedIn());
  }
  confirming = false;
  session.ended = isEnded;
}

/** Reports whether somebody is signed in; true while the server cannot be reached, which says nothing. */
async function isSignedIn(): Promise<boolean> {
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query: '{ viewer { id } }' }),
    });
    if (response.status >= 500 || response.status === 429) return true;
    const { data } = (await response.json()) as { data?: { viewer?: { id: string } | null } };
    return Boolean(data?.viewer);
  } catch {
    return true;
  }
}
