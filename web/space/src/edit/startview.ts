// The first view of visitors, which the picture of the space shows as well.

import type { Stage } from '../scene/stage.ts';
import { run } from '../server/graphql.ts';
import type { Data } from '../server/space.ts';
import { viewpointOf } from '../guide/viewpoint.ts';
import type { View } from '../view.ts';
import { storePicture } from './picture.ts';

const startDocument = `
  mutation Start($space: ID!, $data: JSON!) {
    updateEntity(input: { spaceId: $space, entityId: "RoomInfo", data: $data }) { entity { version } }
  }`;

/**
 * Makes a view the first one, and the present picture that of the space, and returns the start as the
 * data of RoomInfo has it. hide takes away, or brings back, what is not of the space.
 */
export async function storeFirstView(spaceId: string, view: View, stage: Stage, hide: (on: boolean) => void): Promise<Data> {
  const { position, target } = viewpointOf(view);
  const start = { position, target, mode: view.mode };
  await storePicture(spaceId, stage, hide);
  await run(startDocument, { space: spaceId, data: { start } });
  return start;
}
