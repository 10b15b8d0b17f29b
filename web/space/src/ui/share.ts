// The panel that shares a space: its link, the link to the present view, and the code that embeds it.

import type { Messages } from '../i18n.ts';
import { button, element } from './elements.ts';
import { icon } from './icons.ts';

/** Copies a text, and reports whether the browser allowed it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Fills the panel. The page itself has the fields with the link and the code, and what to know of them. */
export function fillShare(body: HTMLElement, messages: Messages, copyView: () => void): void {
  const fields = document.querySelector('.share');
  if (fields) {
    fields.querySelector('h2')?.remove();
    fields.removeAttribute('aria-labelledby');
    for (const field of fields.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')) {
      const line = element('div', { class: 'field' });
      field.before(line);
      line.append(copyButton(field, messages));
      line.prepend(field);
    }
    body.append(fields);
  }
  const view = button('', copyView, { class: 'second' });
  view.append(icon('copyLink'), element('span', { class: 'label' }, messages('copyLink')));
  body.append(view);
}

/** Returns a button that copies the text of a field, and says so. */
function copyButton(field: HTMLInputElement | HTMLTextAreaElement, messages: Messages): HTMLElement {
  const label = field.labels?.[0]?.textContent ?? '';
  const made: HTMLButtonElement = button(
    messages('copy'),
    () =>
      void copyText(field.value).then((copied) => {
        field.select(); // where the browser copies nothing, the visitor can
        made.textContent = messages(copied ? 'copiedShort' : 'copySelected');
      }),
    { class: 'second', 'aria-label': messages('copyName', { name: label }) },
  );
  return made;
}
