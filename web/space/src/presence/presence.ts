// Presence: joins the space, reports the pose of this visitor, and shows the other visitors.
//
// What follows the end of a connection:
//
//   lost or refused    joins again after waits that grow from a second to a minute (Backoff)
//   FULL               joins again after 30 seconds
//   any other reason   stays away until the owner or the page switches presence on again

import { Backoff } from 'portico-upload/backoff.ts';
import type { PresenceEnd, PresenceEvent, Visitor } from '../server/presence.ts';
import { PresenceConnection } from '../server/presence.ts';
import type { View } from '../view.ts';

/** What shows the other visitors in the scene. */
export interface Figures {
  put(visitor: Visitor): void;
  move(id: string, pose: { position: readonly [number, number, number]; yaw: number; pitch: number }): void;
  remove(id: string): void;
  clear(): void;
}

/** Why no other visitors are shown; 'lost' while the page reconnects. */
export type Absence = PresenceEnd | 'lost';

export interface PresenceDisplay {
  /** Shows everybody else who is here. */
  show(others: readonly Visitor[]): void;
  showAbsence(why: Absence): void;
}

/** The shortest time between two moves, in milliseconds: the server takes 10 a second. */
const moveInterval = 100;
/** How often to look whether the visitor has moved, so that the first step is reported immediately. */
const lookInterval = 25;
/** How soon to send a move again that the server did not take, in milliseconds. */
const moveRetry = 1000;
/** How soon to try again to join a full space. */
const fullWait = 30_000;
const nameKey = 'portico.visitor.name';

export class Presence {
  private readonly spaceId: string;
  private readonly figures: Figures | null;
  private readonly display: PresenceDisplay;
  private readonly eye: () => View | null;
  private readonly announce: (changes: PresenceEvent) => void;
  private readonly ticking: number;
  private readonly others = new Map<string, Visitor>();
  private connection: PresenceConnection | null = null;
  private self = '';
  private sent = '';
  private sending = false;
  private lastSent = 0;
  private timer = 0;
  private readonly backoff = new Backoff();
  private isOn = false;
  /** Counts the attempts to join: an outdated attempt does nothing. */
  private attempt = 0;

  constructor(
    spaceId: string,
    figures: Figures | null,
    display: PresenceDisplay,
    eye: () => View | null,
    announce: (changes: PresenceEvent) => void,
  ) {
    this.spaceId = spaceId;
    this.figures = figures;
    this.display = display;
    this.eye = eye;
    this.announce = announce;
    this.ticking = window.setInterval(() => void this.report(), lookInterval);
  }

  /** The name that others see; empty for a guest. */
  get name(): string {
    try {
      return localStorage.getItem(nameKey) ?? '';
    } catch {
      // a frame without storage
      return '';
    }
  }

  /** Chooses a name: others see it after the page has joined again. */
  rename(name: string): void {
    try {
      localStorage.setItem(nameKey, name);
    } catch {
      /* the name is forgotten with the page */
    }
    if (this.isOn) this.join();
  }

  /** Joins or leaves, by the setting of the owner of the space. */
  switch(on: boolean): void {
    if (on === this.isOn) return;
    this.isOn = on;
    if (on) this.join();
    else this.leave('SWITCHED_OFF');
  }

  destroy(): void {
    this.isOn = false;
    clearInterval(this.ticking);
    this.leave('SWITCHED_OFF');
  }

  private leave(why: Absence): void {
    this.attempt++;
    clearTimeout(this.timer);
    this.connection?.end();
    this.connection = null;
    this.self = '';
    this.others.clear();
    this.figures?.clear();
    this.display.showAbsence(why);
  }

  private join(): void {
    this.leave('lost');
    void this.run(this.attempt);
  }

  /** Joins the space until the connection ends, and decides when to join again. */
  private async run(attempt: number): Promise<void> {
    let end: PresenceEnd | null = null;
    try {
      const connection = await PresenceConnection.start(this.spaceId);
      if (attempt !== this.attempt) {
        connection.end();
        return;
      }
      this.connection = connection;
      await connection.follow(this.name, (event) => {
        if (attempt !== this.attempt) return;
        if (event.__typename === 'PresenceEnded') end = event.reason;
        else this.apply(event);
      });
    } catch {
      /* the connection was lost or refused: the page joins again */
    }
    if (attempt !== this.attempt) return;
    this.leave(end ?? 'lost');
    if (end === null) this.joinAfter(this.backoff.next());
    if (end === 'FULL') this.joinAfter(fullWait);
  }

  private joinAfter(wait: number): void {
    this.timer = window.setTimeout(() => this.join(), wait);
  }

  private apply(event: Exclude<PresenceEvent, { __typename: 'PresenceEnded' }>): void {
    if (event.__typename === 'PresenceJoined') {
      this.self = event.visitorId;
      this.sent = '';
      this.backoff.connected();
      for (const visitor of event.visitors) this.put(visitor);
    } else {
      for (const visitor of event.joined) this.put(visitor);
      for (const { id, ...pose } of event.moved) {
        const visitor = this.others.get(id);
        if (!visitor) continue;
        // A visitor gets a figure with the first move.
        if (!visitor.position) this.figures?.put({ ...visitor, ...pose });
        else this.figures?.move(id, pose);
        Object.assign(visitor, pose);
      }
      for (const id of event.left) {
        this.others.delete(id);
        this.figures?.remove(id);
      }
      this.announce(event);
      if (event.joined.length + event.left.length === 0) return;
    }
    this.display.show([...this.others.values()]);
  }

  private put(visitor: Visitor): void {
    if (visitor.id === this.self) return;
    this.others.set(visitor.id, visitor);
    if (visitor.position) this.figures?.put(visitor);
  }

  /** Reports where the visitor is, if that has changed. One report is on its way at a time. */
  private async report(): Promise<void> {
    const view = this.eye();
    const { connection } = this;
    if (!view || !connection || this.self === '' || this.sending || performance.now() - this.lastSent < moveInterval) return;
    const pose = {
      position: view.eye.map((value) => Math.round(value * 100) / 100) as [number, number, number],
      yaw: Math.round(((view.yaw % 360) + 360) % 360),
      pitch: Math.round(view.pitch),
    };
    const text = JSON.stringify(pose);
    if (text === this.sent || pose.position.some((value) => !(Math.abs(value) <= 100_000))) return;
    this.sent = text;
    this.sending = true;
    this.lastSent = performance.now();
    try {
      await connection.move(pose);
    } catch {
      this.sent = ''; // it is sent again
      await new Promise((resolve) => setTimeout(resolve, moveRetry));
    } finally {
      this.sending = false;
    }
  }
}
