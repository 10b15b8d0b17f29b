// Follows a space: what it is after each connection, and each change since then.

import { Backoff } from 'portico-upload/backoff.ts';
import { isTemporary, subscribe } from './graphql.ts';
import { eventsDocument, loadSpace } from './space.ts';
import type { EntityRow, Space, SpaceRow } from './space.ts';

/** A change of a space. SpaceDeleted and AccessLost are the last. */
export type SpaceChange =
  | { __typename: 'SpaceChanged'; space: SpaceRow }
  | { __typename: 'EntityCreated' | 'EntityChanged'; entity: EntityRow }
  | { __typename: 'EntityDeleted'; entityId: string }
  | { __typename: 'RoomChanged'; room: EntityRow }
  | { __typename: 'SpaceDeleted' | 'AccessLost' };

/** What the server sends about a space. SpaceSnapshot says that changes may have been missed. */
type SpaceEvent = { __typename: 'SpaceSnapshot' } | SpaceChange;

export interface SpaceListener {
  /** The space was read again, because changes may have been missed. */
  loaded(space: Space): void;
  changed(change: SpaceChange): void;
}

const pause = (wait: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, wait));

/**
 * Follows the changes of a space until signal aborts or the space is gone. A lost
 * connection is made again, after longer and longer waits (Backoff); each starts with a
 * SpaceSnapshot, after which the space is read again.
 */
export async function followSpace(id: string, listener: SpaceListener, signal: AbortSignal): Promise<void> {
  const reader = new SpaceReader(id, listener, signal);
  const backoff = new Backoff();
  while (!signal.aborted) {
    try {
      await subscribe<{ space: SpaceEvent }>(
        eventsDocument,
        { id },
        (data) => {
          backoff.connected();
          reader.receive(data.space);
        },
        signal,
      );
      return;
    } catch (error) {
      if (signal.aborted) return;
      // The server refuses visitors who may not follow the space, which rarely changes soon.
      await pause(isTemporary(error) ? backoff.next() : backoff.longest());
    }
  }
}

/**
 * Reads a space after each snapshot. The response may be older than the events that arrive before it:
 * they wait for it.
 */
class SpaceReader {
  private readonly id: string;
  private readonly listener: SpaceListener;
  private readonly signal: AbortSignal;
  private snapshots = 0;
  /** The changes that wait for the response; null while the space is not being read. */
  private waiting: SpaceChange[] | null = null;

  constructor(id: string, listener: SpaceListener, signal: AbortSignal) {
    this.id = id;
    this.listener = listener;
    this.signal = signal;
  }

  receive(event: SpaceEvent): void {
    const isLast = event.__typename === 'SpaceDeleted' || event.__typename === 'AccessLost';
    if (event.__typename === 'SpaceSnapshot') void this.read(++this.snapshots);
    else if (this.waiting && !isLast) this.waiting.push(event);
    else this.listener.changed(event);
  }

  /** Reads the space, again and again while the server has a fault, until there is a newer snapshot. */
  private async read(snapshot: number): Promise<void> {
    const isCurrent = (): boolean => snapshot === this.snapshots && !this.signal.aborted;
    const backoff = new Backoff();
    while (isCurrent()) {
      this.passOn();
      this.waiting = [];
      const space = await loadSpace(this.id).catch((error: unknown) => (isTemporary(error) ? 'fault' : null));
      if (!isCurrent()) return;
      if (space && space !== 'fault') this.listener.loaded(space);
      this.passOn();
      if (space !== 'fault') return;
      await pause(backoff.next());
    }
  }

  private passOn(): void {
    const changes = this.waiting ?? [];
    this.waiting = null;
    for (const change of changes) this.listener.changed(change);
  }
}
