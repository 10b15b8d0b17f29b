// A page of another site that a gate shows within the space.

import type { Messages } from '../i18n.ts';
import { button, element } from './elements.ts';

/** What browsers allow frames of other sites by default, or may ask the visitor to allow. */
const features = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'web-share',
  'xr-spatial-tracking',
];

/**
 * Shows a page in a frame that has no rights here: an origin of its own, no cookies where the
 * browser can leave them out, no permissions, no windows, and no way to lead this page elsewhere.
 */
export function showPage(scene: HTMLElement, messages: Messages, address: string, closed: () => void): void {
  if (scene.querySelector('dialog')) return;
  const { host } = new URL(address);
  const frame = element('iframe', {
    sandbox: 'allow-scripts allow-forms',
    referrerpolicy: 'no-referrer',
    credentialless: '',
    title: host,
    allow: features.map((feature) => `${feature} 'none'`).join('; '),
    src: address,
  });
  const dialog = element(
    'dialog',
    { class: 'page', 'aria-labelledby': 'page-title' },
    element('h2', { id: 'page-title' }, messages('pageFrom', { host })),
    frame,
    element(
      'div',
      { class: 'decision' },
      element('a', { class: 'button', href: address, rel: 'noopener noreferrer', target: '_blank' }, messages('openPage')),
      button(messages('close'), () => dialog.close(), { class: 'second' }),
    ),
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    closed();
  });
  scene.append(dialog);
  dialog.showModal();
}
