// What a refusal means to the owner, in words, and what to do.

import { ServerError } from '../server/graphql.ts';
import type { EditMessages } from './messages.ts';

/** Returns what happened and what to do. */
export function inWords(problem: unknown, messages: EditMessages): string {
  if (!(problem instanceof ServerError) || problem.code === '') return messages('offline');
  const seconds = String(problem.extensions['retryAfterSeconds'] ?? 60);
  switch (problem.code) {
    case 'UNAUTHENTICATED': return messages('signedOut');
    case 'FORBIDDEN': return messages('forbidden');
    case 'RATE_LIMITED': return messages('rateLimited', { seconds });
    case 'QUOTA_EXCEEDED': return messages('storageFull');
    case 'TOO_LARGE': return messages('tooLarge');
    case 'INTERNAL': return messages('wrong');
    default: return messages('invalid', { reason: problem.message });
  }
}

/** Reports whether signing in helps. */
export function needsSignIn(problem: unknown): boolean {
  return problem instanceof ServerError && problem.code === 'UNAUTHENTICATED';
}
