// GraphQL over a WebSocket, by the protocol graphql-transport-ws. One connection carries a
// subscription and the many small mutations that go with it.

import { ServerError } from './graphql.ts';

/**
 * How often the page sends a ping, and how long it waits for the pong, in
 * milliseconds. A browser does not notice a dead connection for minutes, for example after the computer
 * has slept. It may call the page only once a minute if nobody sees the page.
 */
const pingInterval = 15_000;
const pongTimeout = 10_000;
/** How long a connection may take until the server has acknowledged it, in milliseconds. */
const openTimeout = 20_000;

interface Problem {
  message: string;
  extensions?: Record<string, unknown>;
}

interface Message {
  type: string;
  id?: string;
  payload?: { data?: unknown; errors?: Problem[] } | Problem[];
}

interface Operation {
  next(data: unknown): void;
  fail(error: Error): void;
  complete(): void;
}

export class Socket {
  private readonly socket: WebSocket;
  private readonly operations = new Map<string, Operation>();
  private readonly timer: ReturnType<typeof setInterval>;
  /** When the ping was sent that the server has not answered, by Date.now(); 0 without such a ping. */
  private pinged = 0;
  private lastId = 0;

  /** Rejects if the server does not acknowledge the connection in time. */
  static open(): Promise<Socket> {
    const address = new URL('/graphql', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address, 'graphql-transport-ws');
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error('The server did not answer'));
        socket.close();
      }, openTimeout);
      socket.onopen = () => socket.send('{"type":"connection_init"}');
      socket.onclose = () => {
        clearTimeout(timer);
        reject(new Error('The connection was refused'));
      };
      socket.onmessage = ({ data }) => {
        if ((JSON.parse(data as string) as Message).type !== 'connection_ack') return;
        clearTimeout(timer);
        resolve(new Socket(socket));
      };
    });
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.onmessage = ({ data }) => this.receive(JSON.parse(data as string) as Message);
    socket.onclose = () => this.fail();
    this.timer = setInterval(() => this.ping(), pingInterval);
  }

  /**
   * Runs an operation until the server completes it (it returns), refuses it (it throws a
   * ServerError) or the connection is lost (it throws another error).
   */
  run<T>(document: string, variables: Record<string, unknown>, next: (data: T) => void): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('The connection was lost'));
    const id = String(++this.lastId);
    return new Promise((resolve, reject) => {
      this.operations.set(id, { next: (data) => next(data as T), fail: reject, complete: resolve });
      this.socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query: document, variables } }));
    });
  }

  /**
   * Closes the connection and fails its operations at once: the other end of a dead connection
   * never answers the close frame.
   */
  close(): void {
    this.socket.close();
    this.fail();
  }

  /** Sends a ping, or closes a connection that is dead. */
  private ping(): void {
    if (this.pinged === 0) {
      this.socket.send('{"type":"ping"}');
      this.pinged = Date.now(); // not performance.now(), which may stand still while the computer sleeps
    } else if (Date.now() - this.pinged > pongTimeout) {
      this.close();
    }
  }

  /** Ends all operations, because the connection was lost. */
  private fail(): void {
    clearInterval(this.timer);
    for (const operation of this.operations.values()) operation.fail(new Error('The connection was lost'));
    this.operations.clear();
  }

  private receive(message: Message): void {
    this.pinged = 0; // every message shows that the connection is alive
    if (message.type === 'ping') this.socket.send('{"type":"pong"}');
    const operation = this.operations.get(message.id ?? '');
    if (!operation) return;
    const { payload } = message;
    if (message.type === 'next' && payload && !Array.isArray(payload)) {
      if (payload.errors) {
        // The server goes on with a subscription after an error, and counts it in the limits.
        this.socket.send(JSON.stringify({ id: message.id, type: 'complete' }));
        this.end(message, () => operation.fail(problem(payload.errors)));
      } else {
        operation.next(payload.data);
      }
    }
    if (message.type === 'error') this.end(message, () => operation.fail(problem(Array.isArray(payload) ? payload : [])));
    if (message.type === 'complete') this.end(message, () => operation.complete());
  }

  private end({ id = '' }: Message, settle: () => void): void {
    this.operations.delete(id);
    settle();
  }
}

function problem(errors: Problem[] = []): ServerError {
  return new ServerError(errors[0]?.message ?? 'The server refused', errors[0]?.extensions);
}
