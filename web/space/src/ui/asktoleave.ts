// The question before a gate leads to a page outside.

import type { Messages } from '../i18n.ts';
import { button, element } from './elements.ts';

/** Asks whether to open a page, whose whole address it shows; stay is called if not. */
export function askToLeave(scene: HTMLElement, messages: Messages, address: string, newTab: boolean, stay: () => void): void {
  if (scene.querySelector('dialog[open]')) return;
  const open = element(
    'a',
    { class: 'button', href: address, rel: 'noopener noreferrer', ...(newTab && { target: '_blank' }) },
    messages('openPage'),
  );
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'leave-title' },
    element('h2', { id: 'leave-title' }, messages('leaveTitle', { host: new URL(address).host })),
    element('p', {}, messages('leaveText')),
    element('p', { class: 'address' }, address),
    element(
      'div',
      { class: 'decision' },
      open,
      button(messages('stay'), () => dialog.close(), { class: 'second' }),
    ),
  );
  let left = false;
  open.addEventListener('click', () => {
    left = true;
    dialog.close();
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (!left || newTab) stay();
  });
  scene.append(dialog);
  dialog.showModal();
}
