// The visitors of a space, as the server reports them.

import { run } from './graphql.ts';
import { Socket } from './socket.ts';
import type { Triple } from './space.ts';

/** Where somebody is and looks: metres and degrees. */
export interface Pose {
  position: Triple;
  yaw: number;
  pitch: number;
}

export interface Visitor {
  id: string;
  /** Null for a guest. */
  name: string | null;
  isOwner: boolean;
  /** Null before the first move. */
  position: Triple | null;
  yaw: number;
  pitch: number;
}

export type PresenceEnd = 'FULL' | 'SWITCHED_OFF' | 'REMOVED' | 'ACCESS_LOST' | 'SPACE_DELETED';

export type PresenceEvent =
  | { __typename: 'PresenceJoined'; visitorId: string; ticket: string; visitors: Visitor[] }
  | { __typename: 'PresenceChanged'; joined: Visitor[]; moved: (Pose & { id: string })[]; left: string[] }
  | { __typename: 'PresenceEnded'; reason: PresenceEnd };

const eventsDocument = `
  subscription Presence($id: ID!, $name: String) {
    spacePresence(spaceId: $id, name: $name) {
      __typename
      ... on PresenceJoined { visitorId ticket visitors { ...Who } }
      ... on PresenceChanged { joined { ...Who } moved { id position yaw pitch } left }
      ... on PresenceEnded { reason }
    }
  }
  fragment Who on Visitor { id name isOwner position yaw pitch }`;

// Ten of these are sent each second: they are as short as they can be.
const moveDocument = 'mutation($in:MoveInSpaceInput!){moveInSpace(input:$in){__typename}}';

const removeDocument = `
  mutation Remove($space: ID!, $visitor: ID!) {
    removeVisitor(input: { spaceId: $space, visitorId: $visitor }) { removedVisitorId }
  }`;

const switchDocument = `
  mutation Presence($space: ID!, $on: Boolean!) {
    updateSpace(input: { spaceId: $space, presence: $on }) { space { presence } }
  }`;

/** Removes a visitor from the space for an hour. */
export async function removeVisitor(space: string, visitor: string): Promise<void> {
  await run(removeDocument, { space, visitor });
}

/** Sets whether visitors of a space see each other. */
export async function switchPresence(space: string, on: boolean): Promise<void> {
  await run(switchDocument, { space, on });
}

/** The connection of a visitor who has joined a space. */
export class PresenceConnection {
  private readonly spaceId: string;
  private readonly socket: Socket;
  private visitorId = '';
  private ticket = '';

  static async start(spaceId: string): Promise<PresenceConnection> {
    return new PresenceConnection(spaceId, await Socket.open());
  }

  private constructor(spaceId: string, socket: Socket) {
    this.spaceId = spaceId;
    this.socket = socket;
  }

  /** Joins the space and passes on events until the server ends the visit. It throws when the connection is lost. */
  async follow(name: string, next: (event: PresenceEvent) => void): Promise<void> {
    await this.socket.run<{ spacePresence: PresenceEvent }>(eventsDocument, { id: this.spaceId, name }, (data) => {
      const event = data.spacePresence;
      if (event.__typename === 'PresenceJoined') [this.visitorId, this.ticket] = [event.visitorId, event.ticket];
      next(event);
    });
  }

  async move(pose: Pose): Promise<void> {
    const { spaceId, visitorId, ticket } = this;
    await this.socket.run(moveDocument, { in: { spaceId, visitorId, ticket, ...pose } }, () => {});
  }

  end(): void {
    this.socket.close();
  }
}
