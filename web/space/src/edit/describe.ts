// What is selected, in words and numbers.

import { guiding, kindOf } from '../entity.ts';
import type { Messages } from '../i18n.ts';
import type { Item } from '../scene/item.ts';
import type { EntityRow } from '../server/space.ts';
import { difference, isFixed, parts, placementOfEntity } from './fields.ts';
import type { EditMessages } from './messages.ts';
import type { Selected } from './panel.ts';
import type { Conflict } from './saver.ts';

/** What the page says of entities. */
interface Words {
  messages: Messages;
  name(item: Item): string;
}

export function describe(item: Item, words: Words, messages: EditMessages, conflict: Conflict | null): Selected {
  const { entity, kind } = item;
  return {
    name: words.name(item),
    kind: words.messages(kind),
    placement: placementOfEntity(entity),
    entity,
    sort: kind,
    fixed: isFixed(entity),
    gate: kind === 'gate' ? entity : null,
    guide: guiding.includes(kind) ? { entity, kind } : null,
    flat: kindOf(entity) === 'gate',
    conflict: conflict && {
      mine: differingNumbers(conflict.mine, conflict.theirs, messages),
      theirs: differingNumbers(conflict.theirs, conflict.mine, messages),
    },
  };
}

/** Returns the fields of both sides of a conflict that differ, as text. */
export function differingFields({ mine, theirs }: Conflict): { mine: string; theirs: string } {
  const fields = Object.keys(difference(theirs.data, mine.data));
  const list = ({ data }: EntityRow): string => fields.map((name) => `${name}: ${JSON.stringify(data[name] ?? null)}`).join('; ');
  return { mine: list(mine), theirs: list(theirs) };
}

/** Returns the numbers of an entity's place that differ from another's. */
function differingNumbers(entity: EntityRow, other: EntityRow, messages: EditMessages): string {
  const [here, there] = [placementOfEntity(entity), placementOfEntity(other)];
  return parts
    .filter((part) => here[part].some((value, axis) => value !== there[part][axis]))
    .map((part) => `${messages(`${part}Field`)}: ${here[part].map((value) => Number(value.toFixed(3))).join(', ')}`)
    .join('; ');
}
