// The element portico-space, which servers also have at /pages/portico-space-1.js, with its types.

import '../../page/pages/portico-space.js';
import type { Events, Mode, Place, Ready, ViewState } from './messages.ts';

export type { Events, Mode, Place, Ready, Titled, ViewState } from './messages.ts';

/** A space within a page. Every promise is rejected with an Error that has the reason. */
export interface PorticoSpaceElement extends HTMLElement {
  /** Resolves once the first picture is there, with what the space has. */
  readonly ready: Promise<Ready>;
  getView(): Promise<ViewState>;
  /** Shows a view: the text of a link to one, or two places. */
  setView(view: string | Place): Promise<void>;
  /** Opens an annotation, or plays a tour or a path. */
  open(entityId: string): Promise<void>;
  /** Goes to the next stop of the tour that is played, or else the next annotation. */
  next(): Promise<void>;
  previous(): Promise<void>;
  pause(): Promise<void>;
  close(): Promise<void>;
  setMode(mode: Mode): Promise<void>;
  /** Changes the look in this frame alone, by the keys of docs/looks.md. */
  setLook(look: Record<string, unknown>): Promise<void>;
  setSound(on: boolean): Promise<void>;
  addEventListener<Name extends keyof Events>(
    type: Name,
    listener: (this: PorticoSpaceElement, event: CustomEvent<Events[Name]>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener<Name extends keyof HTMLElementEventMap>(
    type: Name,
    listener: (this: HTMLElement, event: HTMLElementEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'portico-space': PorticoSpaceElement;
  }
}
