// What the owner sets for the space as a whole, from within it.

import { element } from '../ui/elements.ts';
import type { EditContext } from './context.ts';
import type { EditMessages } from './messages.ts';
import { storePicture, viewButtons } from './picture.ts';
import { pluginSwitch } from './pluginswitch.ts';
import { storeFirstView } from './startview.ts';
import { viewerSettings } from './viewersettings.ts';

/** Returns the settings. hide takes away, or brings back, what only the editor shows in the view. */
export function settings(
  { space, stage, figures, eye, startAt }: EditContext,
  messages: EditMessages,
  hide: (on: boolean) => void,
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
  return element('div', {}, buttons, pluginSwitch(space.id, messages), viewerSettings(space.id, messages));
}
