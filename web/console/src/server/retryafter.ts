import type { CombinedError } from '@urql/core';

/** Returns after how many seconds to try again; 0 where that does not help. */
export function retryAfter({ graphQLErrors: [first] }: CombinedError): number {
  if (!first) return 5; // no response of the server
  const { retryAfterSeconds = 0 } = first.extensions as { retryAfterSeconds?: number };
  return retryAfterSeconds;
}
