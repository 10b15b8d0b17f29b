// The one error of the kit.

import { CombinedError } from '@urql/core';
import { ConnectionLost, isTooLarge, Refused, TooMany, UploadGone } from 'portico-upload/send.ts';
import { graphql } from './graphql.ts';

export type ErrorCode = ReturnType<typeof graphql.scalar<'ErrorCode'>>;
export type ErrorReason = ReturnType<typeof graphql.scalar<'ErrorReason'>>;

/** What a program can read of an error, besides its code. Later servers may add to it. */
export interface ErrorParameters {
  /** What the user can do about it. */
  readonly reason?: ErrorReason;
  /** The path of the argument or the input field that is wrong. */
  readonly field?: readonly string[];
  /** With CONFLICT: the object as it is now. */
  readonly current?: Readonly<Record<string, unknown>>;
  /** With RATE_LIMITED: what the request counts, the limit, and what is left of it. */
  readonly cost?: number;
  readonly limit?: number;
  readonly remaining?: number;
  readonly retryAfterSeconds?: number;
  /** With NETWORK: the HTTP status of a response that is not the server's, such as a proxy's; 0 without one. */
  readonly status?: number;
  /** The address with which another upload of the same file continues. */
  readonly resume?: string;
  /** The file that was stored, when no space was created for it. */
  readonly fileId?: string;
  /** With JOB_FAILED: the job. */
  readonly jobId?: string;
}

/**
 * Why something failed. The message is a sentence for people. The code is one of the server's (ErrorCode),
 * or NETWORK if there was no response of the server, or JOB_FAILED if a file cannot be processed.
 */
export class PorticoError extends Error {
  override readonly name = 'PorticoError';

  constructor(
    message: string,
    readonly code: ErrorCode | 'NETWORK' | 'JOB_FAILED' | (string & {}),
    readonly parameters: ErrorParameters = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the same request may succeed soon. */
  get isTemporary(): boolean {
    if (this.code === 'RATE_LIMITED') return this.parameters.retryAfterSeconds !== undefined;
    return this.code === 'NETWORK' || this.code === 'INTERNAL';
  }
}

/** The codes of refusals of an upload, which are HTTP statuses (docs/graphql.md, Errors). */
const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  413: 'TOO_LARGE',
  507: 'QUOTA_EXCEEDED',
};

/** Returns the error of the kit for one of what it uses, with further parameters. */
export function porticoError(cause: unknown, further: ErrorParameters = {}): PorticoError {
  const make = (message: string, code: PorticoError['code'], parameters: ErrorParameters = {}) =>
    new PorticoError(message, code, { ...parameters, ...further }, { cause });
  if (cause instanceof PorticoError) return make(cause.message, cause.code, cause.parameters);
  if (cause instanceof CombinedError && cause.graphQLErrors[0]) return fromResult(cause.graphQLErrors[0], further);
  if (cause instanceof TooMany) {
    return make('The server accepts no more uploads at the moment', 'RATE_LIMITED', { retryAfterSeconds: cause.retryAfter });
  }
  if (cause instanceof UploadGone) return make('The server no longer has the upload', 'NOT_FOUND');
  if (isTooLarge(cause)) return make('A proxy in front of the server refuses requests of this size', 'TOO_LARGE');
  if (cause instanceof Refused) {
    return make(cause.message || `The upload was refused with status ${cause.status}`, codes[cause.status] ?? 'INVALID');
  }
  const status = cause instanceof ConnectionLost ? cause.status : (((cause as CombinedError)?.response as Response)?.status ?? 0);
  return make(status ? `The response with status ${status} is not the server's` : 'The server cannot be reached', 'NETWORK', { status });
}

/** Returns the error for an entry of the list "errors" of a response. */
export function fromResult(
  { message, extensions = {} }: { message: string; extensions?: Readonly<Record<string, unknown>> },
  further: ErrorParameters = {},
): PorticoError {
  const { code, ...parameters } = extensions;
  return new PorticoError(message, typeof code === 'string' ? code : 'INTERNAL', { ...parameters, ...further });
}
