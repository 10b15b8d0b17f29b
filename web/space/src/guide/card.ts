// The panel that shows one annotation.

import { button, element } from '../ui/elements.ts';
import { icon } from '../ui/icons.ts';
import { copyText } from '../ui/share.ts';
import type { Annotation, Media } from './annotation.ts';
import { safeAddress } from './annotation.ts';
import type { GuideMessages } from './messages.ts';

export interface CardActions {
  close(): void;
  /** Opens the annotation before, or after, this one. */
  step(by: 1 | -1): void;
  mayLoad(address: string): boolean;
}

/** Returns the fragment of the address that opens an annotation. */
export const annotationFragment = (id: string): string => `#annotation=${encodeURIComponent(id)}`;

export class Card {
  readonly element: HTMLElement;
  private readonly messages: GuideMessages;
  private readonly actions: CardActions;
  private readonly title = element('h2', { tabindex: '-1' });
  private readonly body = element('div', { class: 'body', tabindex: '0' });
  private readonly count = element('span', { class: 'count' });
  private readonly steps: HTMLElement;
  private readonly copy: HTMLButtonElement;
  private shown = '';

  constructor(messages: GuideMessages, actions: CardActions) {
    this.messages = messages;
    this.actions = actions;
    const close = button('', () => actions.close(), { class: 'close', title: messages('close'), 'aria-label': messages('close') });
    close.append(icon('close'));
    this.copy = button(messages('copyLink'), () => void this.copyLink(), { class: 'second' });
    this.steps = element(
      'div',
      { class: 'steps' },
      button(messages('previous'), () => actions.step(-1), { class: 'second' }),
      this.count,
      button(messages('next'), () => actions.step(1), { class: 'second' }),
    );
    this.element = element(
      'aside',
      { class: 'panel annotation', 'aria-label': messages('annotations'), hidden: '' },
      element('header', {}, this.title, close),
      this.body,
      element('footer', {}, this.steps, this.copy),
    );
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Shows an annotation; what is shown already stays as it is, such as a video that plays. */
  show(annotation: Annotation, title: string, number: number, count: number): void {
    this.steps.hidden = count < 2;
    this.count.textContent = this.messages('count', { number: String(number), count: String(count) });
    this.copy.dataset['annotation'] = annotation.id;
    this.element.hidden = false;
    const summary = JSON.stringify([annotation.id, title, annotation.text, annotation.media, annotation.link, annotation.linkText]);
    if (summary === this.shown) return;
    this.shown = summary;
    this.copy.textContent = this.messages('copyLink');
    this.title.textContent = title;
    this.element.setAttribute('aria-label', title);
    const text = element('div', { class: 'text' });
    this.body.replaceChildren(...annotation.media.flatMap((media) => this.media(media, title)), text, ...this.link(annotation));
    if (annotation.text) void this.fill(text, annotation.text, summary);
  }

  private async fill(place: HTMLElement, text: string, summary: string): Promise<void> {
    const { renderMarkdown } = await import('./markdown.ts').catch(() => ({ renderMarkdown: (): Node[] => [new Text(text)] }));
    if (this.shown === summary) place.replaceChildren(...renderMarkdown(text, (address) => this.actions.mayLoad(address)));
  }

  private media({ kind, address }: Media, title: string): HTMLElement[] {
    if (!this.actions.mayLoad(address)) return [];
    if (kind === 'image') return [element('img', { src: address, alt: title })];
    const controls = { src: address, controls: '', preload: 'metadata', 'aria-label': title };
    return [kind === 'video' ? element('video', { ...controls, playsinline: '' }) : element('audio', controls)];
  }

  private link({ link, linkText }: Annotation): HTMLElement[] {
    const url = link ? safeAddress(link) : null;
    if (!url) return [];
    const label = linkText || this.messages('link', { host: url.host || url.href });
    return [element('p', {}, element('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow ugc' }, label))];
  }

  private async copyLink(): Promise<void> {
    const address = new URL(annotationFragment(this.copy.dataset['annotation'] ?? ''), location.href).href;
    history.replaceState(history.state, '', address);
    await copyText(address); // where the browser copies nothing, the address of the page is the link now
    this.copy.textContent = this.messages('copied');
  }

  focus(): void {
    this.title.focus({ preventScroll: true });
  }

  hide(): void {
    this.element.hidden = true;
    this.shown = '';
    this.body.replaceChildren(); // what plays stops
  }
}
