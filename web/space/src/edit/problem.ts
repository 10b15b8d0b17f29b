// What a refusal means to the owner, in words, and what to do.

import { isTooLarge, noRoom, Refused } from 'portico-upload/send.ts';
import { ServerError } from '../server/graphql.ts';
import type { EditMessages } from './messages.ts';
import { ProcessingError } from './upload.ts';

/** Returns what happened and what to do. */
export function describeProblem(problem: unknown, messages: EditMessages): string {
  if (problem instanceof Refused) return describeRefusal(problem, messages);
  if (!(problem instanceof ServerError) || problem.code === '') return messages('offline');
  if (problem.extensions['reason'] === 'STORAGE_FULL') return messages('storageFull');
  const seconds = String(problem.extensions['retryAfterSeconds'] ?? 60);
  switch (problem.code) {
    case 'UNAUTHENTICATED':
      return messages('signedOut');
    case 'FORBIDDEN':
      return messages('forbidden');
    case 'RATE_LIMITED':
      return messages('rateLimited', { seconds });
    case 'LOCKED':
      return messages('locked');
    case 'TOO_LARGE':
      return messages('tooLarge');
    case 'QUOTA_EXCEEDED':
      return messages('serverFull');
    case 'INTERNAL':
      return messages('wrong');
    default:
      return messages('invalid', { reason: problem.message });
  }
}

/** Returns why a file could not be added, and what to do. */
export function describeFileProblem(problem: unknown, messages: EditMessages): string {
  if (problem instanceof ProcessingError) return messages('unprocessed', { reason: problem.message });
  if (problem instanceof Refused) return describeRefusal(problem, messages);
  if (!(problem instanceof ServerError) || problem.code === '') return messages('interrupted');
  if (problem.code === 'TOO_LARGE') return messages('fileTooLarge');
  if (problem.extensions['reason'] === 'UNSUPPORTED_FORMAT') return messages('unsupportedFormat');
  if (problem.code === 'INVALID') return messages('unsupported', { reason: problem.message });
  return describeProblem(problem, messages);
}

/** Returns the server's reason for refusing the bytes of a file. A bucket gives only a status. */
function describeRefusal(refusal: Refused, messages: EditMessages): string {
  const { message, status } = refusal;
  if (isTooLarge(refusal)) return messages('proxyLimit');
  if (status === noRoom) return messages('serverFull'); // the storage of the account is reserved
  return message ? messages('unsupported', { reason: message }) : messages('refused', { status: String(status) });
}

export function needsSignIn(problem: unknown): boolean {
  return problem instanceof ServerError && problem.code === 'UNAUTHENTICATED';
}
