// Where gates lead.

import { text } from './entity.ts';
import type { EntityRow } from './server/space.ts';

/** Where a gate leads. */
export type Destination =
  | { kind: 'space'; spaceId: string }
  | { kind: 'page'; address: string; newTab: boolean; embedded: boolean }
  | { kind: 'none' };

/** Returns where a gate leads. Only http and https lead out. */
export function destinationOf(entity: EntityRow): Destination {
  const link = text(entity.data, 'link').trim();
  if (link === '') return { kind: 'none' };
  if (!/^https?:/i.test(link)) {
    const spaceId = link.replace(/^custom\.travel\.center\./, '');
    return /^[\w.-]+$/.test(spaceId) ? { kind: 'space', spaceId } : { kind: 'none' };
  }
  if (!URL.canParse(link)) return { kind: 'none' };
  return {
    kind: 'page', address: new URL(link).href, newTab: entity.data['openAsTab'] === true,
    embedded: entity.data['embeddedEnabled'] === true,
  };
}
