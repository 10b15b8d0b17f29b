// What the owner of a new space does next, in place: the first view, who can see the space, its link.

import { run, ServerError } from '../server/graphql.ts';
import type { SpaceRow } from '../server/space.ts';
import { button, element } from '../ui/elements.ts';
import { icon } from '../ui/icons.ts';
import { copyText } from '../ui/share.ts';
import { loadNewSpaceMessages } from './messages.ts';
import type { NewSpaceMessages } from './messages.ts';
import './card.css';

const choices = ['PRIVATE', 'LINK_ONLY', 'PUBLIC'] as const;

const privacyDocument = `
  mutation Privacy($space: ID!, $privacy: Privacy!) {
    updateSpacePrivacy(input: { spaceId: $space, privacy: $privacy }) { space { privacy } }
  }`;

/** Shows the card until the owner closes it. The space may change meanwhile; setFirstView stores the present view. */
export async function showNewSpace(scene: HTMLElement, space: () => SpaceRow, setFirstView: () => Promise<void>): Promise<void> {
  const messages = await loadNewSpaceMessages(scene.dataset['language'] ?? 'en');
  const close = button(
    '',
    () => {
      card.remove();
      scene.querySelector('canvas')?.focus({ preventScroll: true });
    },
    { class: 'close', title: messages('close'), 'aria-label': messages('close') },
  );
  close.append(icon('close'));
  const card = element(
    'aside',
    { class: 'new-space', 'aria-label': messages('title') },
    element('header', {}, element('h2', {}, messages('title')), close),
    firstView(messages, setFirstView),
    privacy(messages, space),
    link(messages, space),
  );
  scene.append(card);
}

function firstView(messages: NewSpaceMessages, setFirstView: () => Promise<void>): HTMLElement {
  const status = element('p', { role: 'status' }, messages('firstViewHint'));
  const set = button(
    messages('firstView'),
    () => {
      if (set.getAttribute('aria-disabled') === 'true') return;
      set.setAttribute('aria-disabled', 'true');
      status.textContent = messages('taking');
      void setFirstView()
        .then(
          () => messages('firstViewSet'),
          (problem: unknown) => describe(problem, messages),
        )
        .then((line) => {
          status.textContent = line;
          set.removeAttribute('aria-disabled');
        });
    },
    { class: 'second' },
  );
  return element('div', {}, set, status);
}

function privacy(messages: NewSpaceMessages, space: () => SpaceRow): HTMLElement {
  const status = element('p', { role: 'status' });
  const select = element('select', {}, ...choices.map((value) => element('option', { value }, messages(value))));
  select.value = space().privacy;
  select.addEventListener('change', async () => {
    status.textContent = '';
    try {
      await run(privacyDocument, { space: space().id, privacy: select.value });
      status.textContent = messages('saved');
    } catch (problem) {
      select.value = space().privacy;
      status.textContent = describe(problem, messages);
    }
  });
  return element('div', {}, element('label', {}, messages('who'), select), status);
}

function link(messages: NewSpaceMessages, space: () => SpaceRow): HTMLElement {
  const status = element('p', { role: 'status' });
  const copy = async (): Promise<void> => {
    const copied = await copyText(new URL(space().spaceId, location.origin + '/').href);
    status.textContent = messages(!copied ? 'copyByHand' : space().privacy === 'PRIVATE' ? 'copiedPrivate' : 'copied');
  };
  return element(
    'div',
    {},
    button(messages('link'), () => void copy(), { class: 'second' }),
    status,
  );
}

function describe(problem: unknown, messages: NewSpaceMessages): string {
  if (!(problem instanceof ServerError) || problem.code === '') return messages('offline');
  return messages('refused', { reason: problem.message });
}
