// One upload over the wire: the server reserves the storage, the bytes go to the address that
// it names, and the server confirms them.

/**
 * The connection was lost while bytes were sent, or the server or the bucket has a fault that
 * passes: trying again helps. The status is the HTTP status of the response, or 0 without a response.
 */
export class ConnectionLost extends Error {
  constructor(readonly status = 0) {
    super();
  }
}

/** The server no longer has the upload: it has to be sent from the beginning. */
export class UploadGone extends Error {}

/** The server or the bucket refuses the upload: trying again does not help. The message is the server's, or empty. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Reports whether an error is a request that is too large for a proxy in front of the server. The
 * server itself accepts requests as large as it has agreed on, and gives its reasons.
 */
export function isTooLarge(error: unknown): error is Refused {
  return error instanceof Refused && error.status === 413 && !error.message;
}

/** The server accepts no more uploads at the moment. */
export class TooMany extends Error {
  constructor(readonly retryAfter: number) {
    super();
  }
}

/** The request that sends the bytes. */
export interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly { name: string; value: string }[];
}

/**
 * How long an upload that has started may send nothing, in milliseconds. A browser does not notice
 * a dead connection for minutes, for example after the computer has slept.
 */
const maxStall = 60_000;
/**
 * How long an upload waits for its first progress and for its response, in milliseconds. A browser
 * has few connections to a server, and a disk may take minutes to store gigabytes.
 */
const maxWait = 600_000;
/** How much fetch takes of a file at a time, in bytes. */
const chunkSize = 256 * 1024;
/** The time between two checks for a stall, in milliseconds. */
const checkInterval = 5000;

/** Sends a file. It throws ConnectionLost if the connection is dead, and the reason of an abort. */
export async function send(file: Blob, request: Request, signal: AbortSignal, sent: (bytes: number) => void): Promise<void> {
  const stop = new AbortController();
  const cancel = () => {
    stop.abort(signal.reason);
  };
  signal.addEventListener('abort', cancel);
  if (signal.aborted) cancel();
  let lastProgress = Date.now(); // not performance.now(), which may stand still while the computer sleeps
  let limit = maxWait;
  const check = setInterval(() => {
    if (Date.now() - lastProgress > limit) stop.abort(new ConnectionLost());
  }, checkInterval);
  try {
    const transfer = globalThis.XMLHttpRequest ? transferFromPage : transferByFetch;
    await transfer(file, request, stop.signal, (bytes) => {
      lastProgress = Date.now();
      limit = bytes < file.size ? maxStall : maxWait;
      sent(bytes);
    });
  } finally {
    clearInterval(check);
    signal.removeEventListener('abort', cancel); // the signal may outlive many parts
  }
}

/**
 * Sends a file until the signal, where there is no XMLHttpRequest, such as in Node: what fetch takes of a
 * stream counts as sent. Browsers have this for HTTP/2 only, and not all of them.
 */
async function transferByFetch(
  file: Blob,
  { url, method, headers }: Request,
  signal: AbortSignal,
  sent: (bytes: number) => void,
): Promise<void> {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await file.slice(taken, taken + chunkSize).arrayBuffer();
        controller.enqueue(new Uint8Array(next));
        taken += next.byteLength;
        sent(taken);
        if (taken >= file.size) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const all = new Headers(headers.map(({ name, value }): [string, string] => [name, value]));
  all.set('Content-Length', String(file.size)); // otherwise it is not known, and a bucket refuses the file
  const init = { method, headers: all, body, duplex: 'half', signal };
  const response = await fetch(url, init).catch(() => {
    throw signal.aborted ? (signal.reason as Error) : new ConnectionLost();
  });
  const text = await response.text().catch(() => '');
  if (!response.ok) throw failure(response.status, response.headers.get('Retry-After'), text);
}

/**
 * Sends a file until the signal. It uses XMLHttpRequest, because fetch does not report in all browsers how
 * much was sent.
 */
function transferFromPage(
  file: Blob,
  { url, method, headers }: Request,
  signal: AbortSignal,
  sent: (bytes: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const { name, value } of headers) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => sent(loaded);
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(failure(request.status, request.getResponseHeader('Retry-After'), request.responseText));
    };
    request.onerror = () => reject(new ConnectionLost());
    const abort = () => {
      request.abort();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    else request.send(file);
  });
}

/** The status of a server whose disk is full (RFC 4918 section 11.5). Trying again does not help. */
export const noRoom = 507;

/**
 * Returns the error of a response. A conflict or a lock counts as a lost connection, because the next try
 * reads the offset again, and so does the end of a request that stalled.
 */
export function failure(status: number, retryAfter: string | null, body = ''): Error {
  if ((status >= 500 && status !== noRoom) || status === 409 || status === 423 || hasStalled(status, body))
    return new ConnectionLost(status);
  if (status === 404 || status === 410) return new UploadGone();
  if (status === 429) return new TooMany(Number(retryAfter) || 5);
  return new Refused(status, messageOf(body));
}

/** Reports whether the server or the bucket ended a request that stalled. S3 responds with 400 and a code of its own. */
function hasStalled(status: number, body: string): boolean {
  return status === 408 || (status === 400 && body.includes('<Code>RequestTimeout</Code>'));
}

/** Returns the sentence in an error of this server. A bucket responds with XML, which says nothing to people. */
function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

/** Media types that browsers do not know. */
const types: Readonly<Record<string, string>> = {
  zip: 'application/zip',
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
};

export function contentType(name: string, file: Blob): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return types[extension] ?? (file.type || 'application/octet-stream');
}
