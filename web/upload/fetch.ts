// Requests that notice a dead connection, for both pages.

/**
 * Fetches an address, and fails with a TimeoutError if the response does not begin within this time, in
 * milliseconds. A browser does not notice a dead connection for minutes, for example after the
 * computer has slept. The body of the response may take longer: a slow connection is not dead.
 */
export async function fetchWithin(milliseconds: number, address: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const limit = AbortSignal.timeout(milliseconds);
  const late = new AbortController();
  const abort = (): void => {
    late.abort(limit.reason);
  };
  limit.addEventListener('abort', abort);
  if (limit.aborted) abort();
  try {
    return await fetch(address, { ...init, signal: init.signal ? AbortSignal.any([init.signal, late.signal]) : late.signal });
  } finally {
    limit.removeEventListener('abort', abort);
  }
}
