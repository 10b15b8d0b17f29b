// GraphQL over a WebSocket, by the protocol graphql-transport-ws. One connection carries a
// subscription and the many small mutations that go with it.

import { ServerError } from './graphql.ts';

interface Problem { message: string; extensions?: Record<string, unknown> }

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
  private lastId = 0;

  /** Opens a connection to the server of the page. */
  static open(): Promise<Socket> {
    const address = new URL('/graphql', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address, 'graphql-transport-ws');
    return new Promise((resolve, reject) => {
      socket.onopen = () => socket.send('{"type":"connection_init"}');
      socket.onclose = () => reject(new Error('The connection was refused'));
      socket.onmessage = ({ data }) => {
        if ((JSON.parse(data as string) as Message).type === 'connection_ack') resolve(new Socket(socket));
      };
    });
  }

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.onmessage = ({ data }) => this.receive(JSON.parse(data as string) as Message);
    socket.onclose = () => {
      for (const operation of this.operations.values()) operation.fail(new Error('The connection was lost'));
      this.operations.clear();
    };
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

  close(): void {
    this.socket.close();
  }

  private receive(message: Message): void {
    if (message.type === 'ping') this.socket.send('{"type":"pong"}');
    const operation = this.operations.get(message.id ?? '');
    if (!operation) return;
    const { payload } = message;
    if (message.type === 'next' && payload && !Array.isArray(payload)) {
      if (payload.errors) this.end(message, () => operation.fail(problem(payload.errors)));
      else operation.next(payload.data);
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
