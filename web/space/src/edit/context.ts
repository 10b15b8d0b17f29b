// What the page passes to the editor.

import type { Guide } from '../guide/guide.ts';
import type { Messages } from '../i18n.ts';
import type { Input } from '../move/input.ts';
import type { Solid } from '../move/solid.ts';
import type { VisitorFigures } from '../scene/figures.ts';
import type { Item } from '../scene/item.ts';
import type { Stage } from '../scene/stage.ts';
import type { World } from '../scene/world.ts';
import type { Data, EntityRow, SpaceRow } from '../server/space.ts';
import type { Contents } from '../ui/contents.ts';
import type { Overlay } from '../ui/overlay.ts';
import type { View } from '../view.ts';

/** The parts of the page that the editor uses and changes. */
export interface EditContext {
  scene: HTMLElement;
  overlay: Overlay;
  stage: Stage;
  world: World;
  input: Input;
  contents: Contents;
  figures: VisitorFigures;
  space: SpaceRow;
  messages: Messages;
  name(item: Item): string;
  solids(): readonly Solid[];
  look(entityId: string): void;
  /** The settings of the space. */
  room(): EntityRow;
  showRoom(room: EntityRow): void;
  /** Returns the view that the owner has. */
  eye(): View;
  /** Makes a start, as the data of RoomInfo has it, the first view of this visit as well. */
  startAt(start: Data): void;
  /** Returns what plays tours; null where it cannot be loaded. */
  guide(): Promise<Guide | null>;
}
