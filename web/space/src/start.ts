// The page of a space: reads it, shows it, follows its changes.

import { loadMessages } from './i18n.ts';
import type { Messages } from './i18n.ts';
import { ListOnly } from './listonly.ts';
import type { Follower } from './listonly.ts';
import { localSpace } from './local.ts';
import type { JoinedPresence } from './presence/join.ts';
import { followSpace } from './server/follow.ts';
import { ServerError } from './server/graphql.ts';
import { loadSpace, recordVisit } from './server/space.ts';
import type { Space } from './server/space.ts';
import { Overlay } from './ui/overlay.ts';
import type { Visit } from './visit.ts';

/**
 * The engine is loaded while the space is read, and after the page has its controls and
 * its poster.
 */
const visitModule = import('./visit.ts');
visitModule.catch(() => {}); // it is handled where the engine is used

/** Starts the 3D view in an element of the page. */
export async function start(scene: HTMLElement): Promise<void> {
  const spaceId = scene.dataset['spaceId'] ?? '';
  const messages = await loadMessages(scene.dataset['language'] ?? 'en');
  let visit: Visit | null = null;
  let presence: JoinedPresence | null = null;
  const overlay = new Overlay(scene, messages, {
    setMode: (mode) => visit?.setMode(mode),
    reset: () => visit?.reset(),
    copyLink: () => void visit?.copyLink(),
    listen: (on) => visit?.listen(on),
    push: (right, down) => visit?.push(right, down),
    lockPointer: () => void visit?.lockPointer(),
    setQuality: (quality) => visit?.setQuality(quality),
  });
  overlay.showPoster(scene.dataset['poster'] ?? '');
  const end = new AbortController();
  const closeSpace = (reason: 'deleted' | 'private'): void => {
    end.abort();
    presence?.destroy();
    visit?.destroy();
    overlay.close(messages(`${reason}Title`), messages(`${reason}Text`));
  };
  const local = localSpace(scene);
  const space = local ?? (await readSpace(spaceId, overlay, messages));
  if (!space) {
    closeSpace('private');
    return;
  }
  if (beginsInPlace(space)) overlay.fillPage();
  const { view, follow } = await show(scene, overlay, messages, space);
  visit = view;
  if (local) return;
  // In a frame, the other site could trick owners into clicks (clickjacking).
  const isOwner = space.space.viewerIsOwner && scene.dataset['embed'] !== 'true';
  if (view && isOwner) {
    overlay.offerEdit(() => view.toggleEdit());
    view.acceptFiles();
    adviseOwner(overlay, messages, view);
    if (new URLSearchParams(location.search).has('new')) void welcome(scene, view);
  }
  // Owners change or delete their spaces instead.
  if (!space.space.viewerIsOwner) overlay.offerReport(() => void report(scene, spaceId));
  recordVisit(spaceId);
  void import('./stay.ts').then(({ countStay }) => countStay(scene)).catch(() => {}); // a stay that is not counted does not matter
  // The others come after the first picture. Without them, the space is still there.
  const others = await import('./presence/join.ts').catch(() => null);
  presence = others?.joinPresence(overlay, messages, space.space, isOwner, visit) ?? null;
  void followSpace(
    spaceId,
    {
      loaded: (now) => {
        visit?.update(now.space);
        visit?.putRoom(now.room);
        follow.replace(now.entities);
        presence?.setPresence(now.space.presence);
      },
      changed: (change) => {
        switch (change.__typename) {
          case 'SpaceChanged':
            visit?.update(change.space);
            presence?.setPresence(change.space.presence);
            break;
          case 'EntityCreated':
          case 'EntityChanged':
            follow.put(change.entity);
            scene.dispatchEvent(new CustomEvent('portico:entity', { detail: change.entity.entityId }));
            break;
          case 'RoomChanged':
            visit?.putRoom(change.room);
            break;
          case 'EntityDeleted':
            follow.remove(change.entityId);
            break;
          case 'SpaceDeleted':
            closeSpace('deleted');
            break;
          case 'AccessLost':
            // The page at this address says why: the space is private, or was taken down.
            end.abort();
            location.reload();
        }
      },
    },
    end.signal,
  );
}

/** Shows the owner of a space that was just made what to do next, once. */
async function welcome(scene: HTMLElement, view: Visit): Promise<void> {
  history.replaceState(history.state, '', location.pathname + location.hash);
  const { showNewSpace } = await import('./newspace/card.ts');
  await showNewSpace(
    scene,
    () => view.row,
    () => view.setFirstView(),
  );
}

/** Opens the form of reports, which few visitors need. */
async function report(scene: HTMLElement, spaceId: string): Promise<void> {
  const { openReport } = await import('./report/form.ts');
  await openReport(scene, spaceId);
}

/** Reads a space, as often as the visitor wants to try; null for one that the visitor may not open. */
async function readSpace(spaceId: string, overlay: Overlay, messages: Messages): Promise<Space | null> {
  for (;;) {
    try {
      return await loadSpace(spaceId);
    } catch (error) {
      if (error instanceof ServerError && ['NOT_FOUND', 'FORBIDDEN', 'UNAUTHENTICATED'].includes(error.code)) return null;
      await overlay.offerAgain(messages('loadFailed'));
    }
  }
}

/** Reports whether the first capture is a place, and not an object. The engine is not needed for this. */
function beginsInPlace(space: Space): boolean {
  const start = space.entities.find((entity) => entity.file?.start)?.file?.start;
  return start !== undefined && start !== null && start.scene !== 'OBJECT';
}

/** Tells the owner if a scale is doubtful, and offers to turn captures upright that lie on a side, with one click. */
function adviseOwner(overlay: Overlay, messages: Messages, view: Visit): void {
  const { fallen } = view;
  if (view.isScaleDoubtful) overlay.advise(messages('doubtfulScale'), messages('close'));
  if (fallen.length > 0) {
    overlay.advise(messages('lies'), messages('notNow'), { label: messages('turnUpright'), press: () => view.turnUpright(fallen) });
  }
}

/** Shows a space in 3D, or as a list alone where the browser cannot draw it. */
async function show(
  scene: HTMLElement,
  overlay: Overlay,
  messages: Messages,
  space: Space,
): Promise<{ view: Visit | null; follow: Follower }> {
  const { Visit } = await visitModule.catch(async (error: unknown) => {
    console.warn('The engine cannot be loaded:', error);
    await overlay.offerAgain(messages('loadFailed'));
    location.reload(); // browsers remember that an import failed
    return new Promise<never>(() => {});
  });
  try {
    const view = await Visit.start(scene, overlay, messages, space);
    return { view, follow: view };
  } catch (error) {
    console.warn('The scene cannot be drawn:', error);
    overlay.withoutScene(messages('noWebGL'));
    return { view: null, follow: new ListOnly(scene, overlay, messages, space) };
  }
}
