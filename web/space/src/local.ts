// A space that the page itself describes, without the server of a space: a capture of portico view, or
// the folder of portico export --static.

import { noRoom } from './server/space.ts';
import type { EntityRow, FileRow, Space, SpaceRow } from './server/space.ts';

/** A space as a page describes it: what a server of spaces alone knows is left out. */
interface Described {
  title: string;
  type?: SpaceRow['type'];
  entities: readonly (Pick<EntityRow, 'entityId' | 'type' | 'data' | 'readUrl'> & {
    file: Omit<FileRow, 'id' | 'resourceKey' | 'size' | 'preparation'> | null;
  })[];
  /** The data of RoomInfo. */
  room?: EntityRow['data'];
}

/** Reads the space that the page describes; null for none. */
export function localSpace(scene: HTMLElement): Space | null {
  const text = scene.dataset['local'];
  if (!text) return null;
  const { title, type = 'INFINITE', entities, room = {} } = JSON.parse(text) as Described;
  return {
    space: {
      id: '',
      spaceId: '',
      title,
      type,
      privacy: 'PRIVATE',
      runsPlugins: false,
      viewerIsOwner: false,
      presence: false,
      lock: null,
    },
    entities: entities.map(({ file, ...entity }) => ({
      ...entity,
      id: '',
      version: 1,
      createdAt: '',
      file: file && { ...file, id: '', resourceKey: '', size: 0, preparation: [] },
    })),
    room: { ...noRoom(), data: room },
  };
}
