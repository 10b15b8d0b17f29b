// Reads the messages of the page around the frame. docs/embed.md describes them.

import type { Mode, Request as Message } from '../../../client/src/messages.ts';
import { object, text, triple } from '../entity.ts';
import { lookAt } from '../move/controls.ts';
import type { Data } from '../server/space.ts';
import { readView } from '../view.ts';
import type { View } from '../view.ts';

/** The version of the messages. */
export const version = 1;

type Read<Type extends Message['type']> = Extract<Message, { type: Type }>;

/** What the page around the frame may ask for, when it has been read. */
export type Request =
  | Required<Exclude<Message, Read<'setView' | 'setLook'>>>
  | { type: 'setView'; view: View }
  | { type: 'setLook'; data: Data };

const modes: readonly Mode[] = ['walk', 'fly', 'orbit'];
const bare = ['getView', 'pause', 'close'] as const;
/** The largest look, in characters of JSON: as much as the server takes. */
const maxLook = 1 << 20;

/** Reports whether a message is one of this protocol. Pages send each other many others. */
export function isForUs(message: unknown): message is Data {
  return typeof message === 'object' && message !== null && !Array.isArray(message) && (message as Data)['portico'] === version;
}

/** Reads a request. It throws an error that says what is wrong with it. */
export function readRequest(message: Data): Request {
  const type = text(message, 'type');
  const simple = bare.find((name) => name === type);
  if (simple) return { type: simple };
  switch (type) {
    case 'hello':
      return { type, watchView: message['watchView'] === true };
    case 'setView':
      return { type, view: readAsked(message) };
    case 'open': {
      const entityId = text(message, 'entityId');
      if (!entityId) throw new Error('entityId must be the id of an annotation, a tour or a path');
      return { type, entityId };
    }
    case 'step':
      return { type, by: message['by'] === -1 ? -1 : 1 };
    case 'setMode':
      return { type, mode: readMode(message) ?? fail('mode must be walk, fly or orbit') };
    case 'setLook': {
      const data = object(message, 'look');
      if (JSON.stringify(data).length > maxLook) throw new Error('look is too large');
      return { type, data };
    }
    case 'setSound':
      return { type, on: message['on'] === true };
  }
  throw new Error(`type must be one of ${['hello', ...bare, 'setView', 'open', 'step', 'setMode', 'setLook', 'setSound'].join(', ')}`);
}

function readMode(message: Data): Mode | undefined {
  return modes.find((mode) => mode === message['mode']);
}

/** Reads a view: the text that a link to a view has, or a position and a target in metres. */
function readAsked(message: Data): View {
  const fragment = text(message, 'view');
  if (fragment) return readView(`#view=${fragment.replace(/^#?view=/, '')}`) ?? fail('view must be as in a link to a view');
  const none: [number, number, number] = [NaN, NaN, NaN];
  const [position, target] = [triple(message['position'], none), triple(message['target'], none)];
  const apart = Math.hypot(...position.map((value, axis) => value - target[axis]!));
  if (!(apart > 1e-6 && apart < 1e6)) throw new Error('position and target must be two places, such as [0, 1.6, 4]');
  return lookAt(readMode(message) ?? 'fly', position, target);
}

function fail(reason: string): never {
  throw new Error(reason);
}
