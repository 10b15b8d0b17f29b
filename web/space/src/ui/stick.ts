// The joystick for thumbs, at the lower left of the view.

import { element } from './elements.ts';

/** How far the thumb moves the knob, in pixels, for full speed. */
const reach = 44;

/** Returns the joystick; moved gets the position, right and down, each from -1 to 1. */
export function makeStick(label: string, moved: (right: number, down: number) => void): HTMLElement {
  const knob = element('span', {});
  const stick = element('div', { class: 'stick', role: 'img', 'aria-label': label }, knob);
  let from: { id: number; x: number; y: number } | null = null;
  const move = (x: number, y: number): void => {
    const length = Math.max(1, Math.hypot(x, y) / reach);
    const [right, down] = [x / reach / length, y / reach / length];
    knob.style.translate = `${right * reach}px ${down * reach}px`;
    moved(right, down);
  };
  stick.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    stick.setPointerCapture(event.pointerId);
    from = { id: event.pointerId, x: event.clientX, y: event.clientY };
  });
  stick.addEventListener('pointermove', (event) => {
    if (event.pointerId === from?.id) move(event.clientX - from.x, event.clientY - from.y);
  });
  for (const end of ['pointerup', 'pointercancel'] as const) {
    stick.addEventListener(end, (event) => {
      if (event.pointerId !== from?.id) return;
      from = null;
      move(0, 0);
    });
  }
  stick.addEventListener('contextmenu', (event) => event.preventDefault());
  return stick;
}
