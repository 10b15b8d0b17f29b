// A capture that a page shows without the server of a space: the page itself describes it (portico view).

import { noRoom } from './server/space.ts';
import type { FileRow, Space } from './server/space.ts';

/** Captures are turned by 180 degrees around z, as in the spaces that the server makes of them. */
const halfTurn = { x: 0, y: 0, z: 180 };

/** Reads the capture that the page describes, as a space with nothing else in it; null for none. */
export function localSpace(scene: HTMLElement): Space | null {
  const text = scene.dataset['capture'];
  if (!text) return null;
  const { gaussians, ...described } = JSON.parse(text) as Omit<FileRow, 'id' | 'resourceKey' | 'size' | 'preparation'> & {
    gaussians: boolean;
  };
  const file: FileRow = { ...described, id: '', resourceKey: '', size: 0, preparation: [] };
  return {
    space: {
      id: '',
      spaceId: '',
      title: file.name,
      type: 'INFINITE',
      privacy: 'PRIVATE',
      runsPlugins: false,
      viewerIsOwner: false,
      presence: false,
      lock: null,
    },
    entities: [
      {
        id: '',
        entityId: file.name,
        type: 'UserModelEntity',
        version: 1,
        createdAt: '',
        readUrl: file.readUrl,
        file,
        data: gaussians ? { rotation: halfTurn } : {},
      },
    ],
    room: noRoom(),
  };
}
