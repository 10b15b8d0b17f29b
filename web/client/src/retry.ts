import { Backoff } from 'portico-upload/backoff.ts';
import { type PorticoError, porticoError } from './error.ts';

/** How long a task may make no progress, in milliseconds. */
const patience = 300_000;

/** Waits, unless it is aborted. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** Returns how long to wait after an error, in milliseconds. */
export function waitAfter({ parameters }: PorticoError, backoff: Backoff): number {
  return Math.max(backoff.next(), (parameters.retryAfterSeconds ?? 0) * 1000);
}

/**
 * Runs a task again while its error may pass and the signal is not aborted. It gives up after five minutes
 * without progress. A server that has never responded is not tried again: its address may be wrong.
 */
export async function retrying<T>(
  signal: AbortSignal | undefined,
  task: (progressed: () => void) => Promise<T>,
  maySucceed = (error: PorticoError): boolean => error.isTemporary,
): Promise<T> {
  let backoff = new Backoff();
  let since = 0;
  const progressed = (): void => {
    backoff = new Backoff();
    since = Date.now();
  };
  for (;;) {
    try {
      return await task(progressed);
    } catch (cause) {
      signal?.throwIfAborted();
      const error = porticoError(cause);
      const isKnown = since > 0 || error.code !== 'NETWORK';
      since ||= Date.now();
      if (!isKnown || !maySucceed(error) || Date.now() - since > patience) throw error;
      await pause(waitAfter(error, backoff), signal);
    }
  }
}
