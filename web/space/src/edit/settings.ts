// What the owner sets for the space as a whole, from within it.

import { element } from '../ui/elements.ts';
import type { EditContext } from './context.ts';
import type { EditMessages } from './messages.ts';
import { pictureButton } from './picture.ts';
import { pluginSwitch } from './pluginswitch.ts';

/** Returns the settings. hide takes away, or brings back, what only the editor shows in the view. */
export function settings({ space, stage, figures }: EditContext, messages: EditMessages, hide: (on: boolean) => void): HTMLElement {
  const showOnlySpace = (on: boolean): void => {
    figures.hidden = on;
    hide(on);
  };
  return element('div', {}, pluginSwitch(space.id, messages), pictureButton(space.id, stage, messages, showOnlySpace));
}
