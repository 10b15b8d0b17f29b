// Queries that are sent again: after an event, at most once a second each, and after an error that
// a later try may not have.
//
// The pause is before a query is dispatched, never between the cache and fetch. The cache reserves a
// layer for a query that it forwards, and keeps what arrives later in layers above it until the
// response comes. A subscription has one layer, which stays where its first event put it: an event
// that arrives meanwhile is hidden by the older responses above it, and lost with them.

import { type Client, type CombinedError, type Exchange, makeOperation, type Operation, type OperationResult } from '@urql/core';
import { pipe, tap } from 'wonka';
import { retryAfter } from './retryafter.ts';

/** The time between two requests for the same query because of events, in milliseconds. */
const pause = 1000;
/** The pause after an error that does not say when to try again, in milliseconds. */
const errorPause = 5000;

/** Jobs in these states report progress often. Queries need not follow it. */
const unfinished = ['QUEUED', 'PROCESSING'];

function isChange({ data }: OperationResult): boolean {
  const job = (data as { jobs?: { status: string } } | undefined)?.jobs;
  return !(job && unfinished.includes(job.status));
}

/** A query that a view shows. */
interface Shown {
  operation: Operation;
  /** The number of its requests without a response. */
  inFlight: number;
  /** Whether something may have changed since it was sent. */
  outdated: boolean;
  /** Whether its response may hide later events, because an earlier request has no response yet. */
  hidesEvents: boolean;
  /** Until it ends, the query is not sent again; 0 without a pause. */
  timer: number;
}

export class Refetch {
  #client: Client | undefined;
  #queries = new Map<number, Shown>();
  /** The number of mutations without a response. */
  #mutations = 0;

  /** Records what is sent and what arrives. Its place is after the cache's. */
  readonly exchange: Exchange = ({ client, forward }) => {
    this.#client = client;
    return (operations) =>
      pipe(
        operations,
        tap((operation) => {
          this.#send(operation);
        }),
        forward,
        tap((result) => {
          this.#receive(result);
        }),
      );
  };

  /** Sends the queries of these fields again. */
  fields(...names: string[]): void {
    this.#outdate(({ operation }) => fieldsOf(operation).some((name) => names.includes(name)));
  }

  /** Sends all queries again: what was deleted may be a part of any response. */
  all(): void {
    this.#outdate(() => true);
  }

  #outdate(isOutdated: (query: Shown) => boolean): void {
    for (const query of this.#queries.values()) {
      if (!isOutdated(query)) continue;
      query.outdated = true;
      this.#resend(query);
    }
  }

  #send(operation: Operation): void {
    const { kind, key } = operation;
    if (kind === 'mutation') this.#mutations += 1;
    else if (kind === 'teardown') this.#forget(key);
    else if (kind === 'query') {
      const { inFlight, timer } = this.#queries.get(key) ?? { inFlight: 0, timer: 0 };
      // Of two responses, the older one may come last.
      this.#queries.set(key, { operation, inFlight: inFlight + 1, outdated: inFlight > 0, hidesEvents: false, timer });
    }
  }

  #forget(key: number): void {
    clearTimeout(this.#queries.get(key)?.timer);
    this.#queries.delete(key);
    this.#endHiding();
  }

  #receive(result: OperationResult): void {
    const { kind, key } = result.operation;
    if (kind === 'subscription') {
      // The server may read before a change what it returns, and the event may overtake the response.
      if (isChange(result)) this.#outdate(({ inFlight, hidesEvents }) => inFlight > 0 || hidesEvents);
      return;
    }
    if (kind === 'mutation') this.#mutations -= 1;
    const query = this.#queries.get(key);
    if (kind === 'query' && query) this.#receiveResult(query, result.error);
    this.#endHiding();
  }

  #receiveResult(query: Shown, error: CombinedError | undefined): void {
    query.inFlight -= 1;
    query.hidesEvents = true;
    if (error) {
      const seconds = retryAfter(error);
      query.outdated ||= seconds > 0;
      this.#sendAfter(query, seconds * 1000 || errorPause);
    } else if (query.outdated) {
      this.#resend(query);
    }
  }

  /** Without a request in flight the cache merges its layers: no response hides a later event. */
  #endHiding(): void {
    const queries = [...this.#queries.values()];
    if (this.#mutations > 0 || queries.some(({ inFlight }) => inFlight > 0)) return;
    for (const query of queries) query.hidesEvents = false;
  }

  /**
   * Sends a query again as soon as possible. The client drops a query that is still in flight, and the
   * cache replaces one that waits in the client's queue while the cache handles the event. So the
   * response comes first, and the timer runs after both.
   */
  #resend(query: Shown): void {
    if (query.inFlight === 0 && query.timer === 0) this.#sendAfter(query, 0);
  }

  /** Sends a query after the pause, if it is outdated then. The pause replaces an earlier one. */
  #sendAfter(query: Shown, milliseconds: number): void {
    clearTimeout(query.timer);
    const { key } = query.operation;
    query.timer = setTimeout(() => {
      const current = this.#queries.get(key);
      if (!current) return;
      current.timer = 0;
      if (!current.outdated || current.inFlight > 0) return;
      this.#sendAfter(current, pause);
      const { operation } = current;
      this.#client?.reexecuteOperation(makeOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }));
    }, milliseconds);
  }
}

/** Returns the names of the fields that a query asks for. */
function fieldsOf({ query }: Operation): string[] {
  return query.definitions
    .flatMap((definition) => (definition.kind === 'OperationDefinition' ? definition.selectionSet.selections : []))
    .flatMap((selection) => (selection.kind === 'Field' ? selection.name.value : []));
}
