// What the owner sets for the space as a whole, from within it.

import { element } from '../ui/elements.ts';
import type { EditContext } from './context.ts';
import type { RoomActions } from '../look/panel.ts';
import type { EditMessages } from './messages.ts';
import { storePicture, viewButtons } from './picture.ts';
import { pluginSwitch } from './pluginswitch.ts';
import { storeFirstView } from './startview.ts';
import { viewerSettings } from './viewersettings.ts';

/** Returns the settings. hide takes away, or brings back, what only the editor shows in the view. */
export function settings(
  { scene, space, stage, figures, eye, startAt }: EditContext,
  messages: EditMessages,
  hide: (on: boolean) => void,
  room: RoomActions,
): HTMLElement {
  const showOnlySpace = (on: boolean): void => {
    figures.hidden = on;
    hide(on);
  };
  const buttons = viewButtons(messages, [
    {
      label: 'firstView',
      done: 'firstViewSet',
      store: async () => startAt(await storeFirstView(space.id, eye(), stage, showOnlySpace)),
    },
    { label: 'picture', done: 'pictureTaken', store: () => storePicture(space.id, stage, showOnlySpace) },
  ]);
  return element(
    'div',
    {},
    buttons,
    pluginSwitch(space.id, messages),
    viewerSettings(space.id, messages),
    roomFields(scene, messages, room),
  );
}

/** Returns the place of the fields of the look and of movement, which load when it is opened. */
function roomFields(scene: HTMLElement, messages: EditMessages, room: RoomActions): HTMLElement {
  const place = element('details', { class: 'room' }, element('summary', {}, messages('roomSettings')));
  let fields: Promise<HTMLElement> | null = null;
  place.addEventListener('toggle', () => {
    if (!place.open || fields) return;
    fields = import('../look/panel.ts').then(({ roomPanel }) => roomPanel(scene, room));
    fields.then(
      (made) => place.append(made),
      () => {
        fields = null; // it is loaded again when it is opened again
        place.open = false;
      },
    );
  });
  return place;
}
