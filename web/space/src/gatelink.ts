// Where gates lead.

import { text } from './entity.ts';
import type { EntityRow } from './server/space.ts';

/** A space, a page, or nothing. */
export type Destination =
  | { kind: 'space'; spaceId: string }
  | { kind: 'page'; address: string; newTab: boolean; embedded: boolean }
  | { kind: 'none' };

/** Old links to spaces start with it. */
const oldSpacePrefix = 'custom.travel.center.';

/** Only http and https addresses lead out of the server. */
export function destinationOf(entity: EntityRow): Destination {
  const link = text(entity.data, 'link').trim();
  if (link === '') return { kind: 'none' };
  if (!/^https?:/i.test(link)) {
    const spaceId = link.startsWith(oldSpacePrefix) ? link.slice(oldSpacePrefix.length) : link;
    return /^[\w.-]+$/.test(spaceId) ? { kind: 'space', spaceId } : { kind: 'none' };
  }
  if (!URL.canParse(link)) return { kind: 'none' };
  return {
    kind: 'page',
    address: new URL(link).href,
    newTab: entity.data['openAsTab'] === true,
    embedded: entity.data['embeddedEnabled'] === true,
  };
}
