// The picture of the space, which shows the present view of the owner.

import type { Stage } from '../scene/stage.ts';
import { run } from '../server/graphql.ts';
import { button, element } from '../ui/elements.ts';
import type { EditKey, EditMessages } from './messages.ts';
import { describeProblem } from './problem.ts';
import { upload } from './upload.ts';

/** The maximum width of a picture in pixels. */
const maxWidth = 1280;
const quality = 0.9;
/**
 * The maximum time for sending a picture, in milliseconds. A person waits for it, and can take
 * another one.
 */
const maxUpload = 120_000;

const updateDocument = `
  mutation Picture($space: ID!, $data: JSON!) {
    updateSpace(input: { spaceId: $space, data: $data }) { space { id } }
  }`;

/**
 * Makes the present view the picture of the space. hide takes away, or brings back, what is not of
 * the space.
 */
export async function storePicture(spaceId: string, stage: Stage, hide: (on: boolean) => void): Promise<void> {
  hide(true);
  const picture = await take(stage).finally(() => hide(false));
  const stored = await upload(picture, () => {}, AbortSignal.timeout(maxUpload));
  await run(updateDocument, { space: spaceId, data: { picture: stored.resourceKey } });
}

/** What a button about the present view stores, and what it says after that. */
export interface ViewAction {
  label: EditKey;
  done: EditKey;
  store(): Promise<void>;
}

/** Returns buttons that store something of the present view, one at a time. */
export function viewButtons(messages: EditMessages, actions: readonly ViewAction[]): HTMLElement {
  const status = element('p', { class: 'status', role: 'status' });
  let busy = false;
  const press = async ({ store, done }: ViewAction): Promise<void> => {
    if (busy) return;
    busy = true;
    status.textContent = messages('pictureTaking');
    try {
      await store();
      status.textContent = messages(done);
    } catch (problem) {
      status.textContent = describeProblem(problem, messages);
    }
    busy = false;
  };
  const buttons = actions.map((action) => button(messages(action.label), () => void press(action), { class: 'second' }));
  return element('div', { class: 'picture' }, ...buttons, status);
}

/** Returns the next frame as a JPEG. */
async function take(stage: Stage): Promise<File> {
  const { canvas } = stage.app.graphicsDevice;
  stage.invalidate();
  await stage.drawFrame(); // the pixels are there until the browser shows them
  const width = Math.min(maxWidth, canvas.width);
  const picture = element('canvas', { width: String(width), height: String(Math.round((canvas.height * width) / canvas.width)) });
  picture.getContext('2d')!.drawImage(canvas, 0, 0, picture.width, picture.height);
  const blob = await new Promise<Blob | null>((resolve) => {
    picture.toBlob(resolve, 'image/jpeg', quality);
  });
  if (!blob) throw new Error('the browser made no picture');
  return new File([blob], 'view.jpg', { type: 'image/jpeg' });
}
