// The messages between the page around a frame and a space in it: the one source of their types, for the
// page in the frame, for the element portico-space and for the kit. docs/embed.md describes them.

export type Mode = 'walk' | 'fly' | 'orbit';

/** Two places in metres. The default mode is fly. */
export interface Place {
  position: readonly [number, number, number];
  target: readonly [number, number, number];
  mode?: Mode;
}

/** What the page around the frame may ask for. */
export type Request =
  | { type: 'hello'; watchView?: boolean }
  | { type: 'getView' }
  | { type: 'setView'; view: string }
  | ({ type: 'setView' } & Place)
  | { type: 'open'; entityId: string }
  | { type: 'step'; by: 1 | -1 }
  | { type: 'pause' }
  | { type: 'close' }
  | { type: 'setMode'; mode: Mode }
  | { type: 'setLook'; look: Record<string, unknown> }
  | { type: 'setSound'; on: boolean };

/** Where a visitor is, and looks. */
export interface ViewState {
  /** The text of a link to the view. */
  view: string;
  position: readonly [number, number, number];
  /** In degrees. */
  yaw: number;
  pitch: number;
  mode: Mode;
}

export interface Titled {
  entityId: string;
  title: string;
}

/** What the page around the frame can choose from. */
export interface Ready extends ViewState {
  spaceId: string;
  title: string;
  modes: Mode[];
  annotations: Titled[];
  tours: Titled[];
  paths: Titled[];
}

/** The details of the events. */
export interface Events {
  ready: Ready;
  view: ViewState;
  mode: { mode: Mode };
  /** The id of the annotation that was opened. */
  annotation: string;
  /** The stop that was reached, from 0; null at the end. */
  tour: { entityId: string; stop: number | null; stops: number };
  marker: { marker: string; path: string };
  /** Who came, left or moved. */
  visitors: unknown;
}

/** The answer to a request. Its message also has the id of the request. */
export type Answer = ({ type: 'ready' } & Ready) | ({ type: 'view' } & ViewState) | { type: 'done' } | { type: 'error'; message: string };

/** What the frame sends by itself, to the origin that has said hello. */
export type Event =
  | { type: 'listening' }
  | ({ type: 'view' } & ViewState)
  | ({ type: 'mode' } & Events['mode'])
  | { type: 'annotation' | 'tour' | 'marker' | 'visitors'; detail: unknown };
