// GraphQL over HTTP and over server-sent events, from the server of the page. The
// session's cookie is sent with each request, so that owners see their private spaces.

import { fetchWithin } from 'portico-upload/fetch.ts';

const address = '/graphql';

/**
 * How long a stream may be silent, in milliseconds. The server sends something every 12 seconds: twice
 * that is missing only if the connection is dead. A browser does not notice this for minutes, for
 * example after the computer has slept.
 */
const maxSilence = 30_000;
/** How long a query waits until its response begins, in milliseconds. */
const maxWait = 60_000;
/** The time between two checks for silence, in milliseconds. */
const checkInterval = 5000;

/** The statuses of refusals that a later request may not get. */
const requestTimeout = 408;
const tooManyRequests = 429;

export class ServerError extends Error {
  /** extensions.code, such as NOT_FOUND; empty if the response was not GraphQL. */
  readonly code: string;
  /** What else a program can read of the error, such as retryAfterSeconds. */
  readonly extensions: Readonly<Record<string, unknown>>;
  /** The HTTP status; 200 for an error in a stream. */
  readonly status: number;

  constructor(message: string, extensions: Readonly<Record<string, unknown>> = {}, status = 200) {
    super(message);
    this.extensions = extensions;
    this.status = status;
    this.code = typeof extensions['code'] === 'string' ? extensions['code'] : '';
  }
}

/**
 * Reports whether the same request may succeed soon: the connection was lost, the server has a fault,
 * such as a database that restarts, or it has had too many requests. A response without GraphQL is
 * of a proxy: it may have no server for a moment, and then responds with 404.
 */
export function isTemporary(problem: unknown): boolean {
  return !(problem instanceof ServerError) || ['', 'INTERNAL', 'RATE_LIMITED'].includes(problem.code);
}

/** Reports whether a proxy refused the request, for example a firewall, which may always do so. */
export function isProxyRefusal(problem: unknown): boolean {
  if (!(problem instanceof ServerError) || problem.code) return false;
  return problem.status >= 400 && problem.status < 500 && ![requestTimeout, tooManyRequests].includes(problem.status);
}

interface Result<T> {
  data?: T | null;
  errors?: { message: string; extensions?: Record<string, unknown> }[];
}

type Variables = Record<string, unknown>;

/** How much the server's clock is ahead of the browser's, in milliseconds, by the last response. */
let clockOffset = 0;

/** Returns the time of the server's clock, to a second, in milliseconds since 1970. The browser's clock may be wrong. */
export function serverTime(): number {
  return Date.now() + clockOffset;
}

async function request(document: string, variables: Variables, accept: string, signal: AbortSignal | null = null): Promise<Response> {
  const init = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify({ query: document, variables }),
    signal,
  };
  const response = await (document.trimStart().startsWith('query') ? fetchWithin(maxWait, address, init) : fetch(address, init));
  const date = Date.parse(response.headers.get('Date') ?? '');
  if (date) clockOffset = date - Date.now();
  return response;
}

/** Returns the data of a result, or throws a ServerError. */
function read<T>(result: Result<T>, status = 200): T {
  const problem = result.errors?.[0];
  if (problem) throw new ServerError(problem.message, problem.extensions, status);
  if (!result.data) throw new ServerError('The response has no data', {}, status);
  return result.data;
}

/** Returns the data of a response, or throws a ServerError, even if the response is not GraphQL. */
async function readResponse<T>(response: Response): Promise<T> {
  const { status } = response;
  if (!response.headers.get('Content-Type')?.includes('json')) {
    throw new ServerError(`The server responded with status ${status}`, {}, status);
  }
  return read((await response.json()) as Result<T>, status);
}

/**
 * Runs a query or a mutation. A query on a dead connection throws the error of a timeout, which is
 * temporary. A mutation has no limit, because it may be long work, such as the last part of an upload.
 */
export async function run<T>(document: string, variables: Variables): Promise<T> {
  return readResponse(await request(document, variables, 'application/graphql-response+json, application/json'));
}

/**
 * Runs a subscription until the server completes it (it returns), refuses it (it throws a
 * ServerError) or the connection is lost (it throws another error).
 */
export async function subscribe<T>(document: string, variables: Variables, next: (data: T) => void, signal: AbortSignal): Promise<void> {
  const lost = new AbortController();
  let lastHeard = Date.now(); // not performance.now(), which may stand still while the computer sleeps
  const check = setInterval(() => {
    if (Date.now() - lastHeard > maxSilence) lost.abort(new Error('The connection was lost'));
  }, checkInterval);
  try {
    await follow(
      document,
      variables,
      next,
      () => {
        lastHeard = Date.now();
      },
      AbortSignal.any([signal, lost.signal]),
    );
  } finally {
    clearInterval(check);
  }
}

/** Runs a subscription as subscribe does, and calls heard when the server has sent something. */
async function follow<T>(
  document: string,
  variables: Variables,
  next: (data: T) => void,
  heard: () => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await request(document, variables, 'text/event-stream', signal);
  if (!response.headers.get('Content-Type')?.includes('text/event-stream')) {
    await readResponse(response);
    throw new ServerError('The server does not stream');
  }
  if (!response.body) throw new ServerError('The stream is empty');
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const events = new EventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('The connection was lost');
      heard();
      for (const event of events.push(value)) {
        if (event.name === 'complete') return;
        if (event.name === 'next') next(read(JSON.parse(event.data) as Result<T>));
      }
    }
  } finally {
    // After an error in an event the connection is still open.
    void reader.cancel().catch(() => {});
  }
}

interface ServerSentEvent {
  name: string;
  data: string;
}

/** Divides a stream of text into server-sent events. */
export class EventParser {
  private rest = '';

  push(text: string): ServerSentEvent[] {
    const blocks = (this.rest + text).replaceAll('\r\n', '\n').split('\n\n');
    this.rest = blocks.pop() ?? '';
    return blocks.map(parseEvent).filter((event) => event.name !== '');
  }
}

function parseEvent(block: string): ServerSentEvent {
  const event: ServerSentEvent = { name: '', data: '' };
  for (const line of block.split('\n')) {
    const [, field, value] = /^(event|data): ?(.*)$/.exec(line) ?? [];
    if (field === 'event') event.name = value ?? '';
    if (field === 'data') event.data += value ?? '';
  }
  return event;
}
