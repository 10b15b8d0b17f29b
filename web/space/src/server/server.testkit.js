// A server for tests: it responds to the requests of a page, which has no network.

/** Returns a response with the errors of GraphQL. */
export const refusal = (code, extensions = {}) => Response.json({ errors: [{ message: 'Refused', extensions: { code, ...extensions } }] });

/** Returns the page with which a proxy refuses a request. */
export const proxyRefusal = (status) => new Response('<h1>Refused</h1>', { status, headers: { 'Content-Type': 'text/html' } });

/** Returns the stream of a subscription that sends these data and then is completed. */
export function stream(...data) {
  const events = [...data.map((next) => `event: next\ndata: ${JSON.stringify({ data: next })}\n\n`), 'event: complete\n\n'];
  return new Response(events.join(''), { headers: { 'Content-Type': 'text/event-stream' } });
}

/**
 * Lets the function respond to the requests. It is called with the name of the operation, its variables and
 * its kind, such as query, or with HEAD and the path.
 */
export function serve(respond) {
  globalThis.fetch = async (path, { method, body, signal }) => {
    signal?.throwIfAborted();
    if (method === 'HEAD') return respond('HEAD', path);
    const { query, variables } = JSON.parse(body);
    const [, kind, name] = /(query|mutation|subscription) (\w+)/.exec(query);
    const response = await respond(name, variables, kind);
    return signal ? new Response(response.body.pipeThrough(new TransformStream(), { signal }), response) : response;
  };
}

/** Replaces the clock, which never waits, and returns the waits of the page in milliseconds. */
export function countWaits() {
  const waits = [];
  globalThis.setTimeout = (run, wait) => {
    waits.push(wait);
    setImmediate(run);
  };
  return waits;
}
