import { type FormEvent, useState } from 'react';

import type { Position } from './json';

/** An entity in the list. A version of 0 means that the server has not answered yet. */
export interface EntityRow {
  readonly id: string;
  readonly entityId: string;
  readonly position: Position;
  readonly version: number;
}

export interface SpaceViewProps<Row extends EntityRow> {
  readonly title: string;
  readonly entities: readonly Row[];
  /** Whether the subscription is connected. */
  readonly live: boolean;
  /** The server's last refusal, "" for none. */
  readonly problem: string;
  readonly onCreate: (entityId: string) => void;
  readonly onMove: (entity: Row) => void;
  readonly onDelete: (entity: Row) => void;
  /** Reads the space from the server once more. */
  readonly onReload: () => void;
  readonly onClose: () => void;
}

function NewEntity({ onCreate }: { readonly onCreate: (entityId: string) => void }) {
  const [name, setName] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onCreate(name);
    setName('');
  };
  return (
    <form onSubmit={submit}>
      <label>
        New entity
        <input value={name} onChange={({ target }) => setName(target.value)} />
      </label>
      <button type="submit">Create</button>
    </form>
  );
}

/** A space with its entities, which can be created, moved and deleted. */
export function SpaceView<Row extends EntityRow>(props: SpaceViewProps<Row>) {
  return (
    <section aria-label="Space">
      <h2>{props.title}</h2>
      <button type="button" onClick={props.onClose}>Close</button>
      <button type="button" onClick={props.onReload}>Reload</button>
      <p role="status">{props.live ? 'Live' : 'Connecting'}</p>
      {props.problem && <p role="alert">{props.problem}</p>}
      <ul aria-label="Entities">
        {props.entities.map((entity) => (
          <li key={entity.id} aria-label={entity.entityId}>
            <span>{`${entity.entityId} at ${entity.position.join(', ')}, version ${entity.version}`}</span>
            <button type="button" onClick={() => props.onMove(entity)}>{`Move ${entity.entityId}`}</button>
            <button type="button" onClick={() => props.onDelete(entity)}>{`Delete ${entity.entityId}`}</button>
          </li>
        ))}
      </ul>
      <NewEntity onCreate={props.onCreate} />
    </section>
  );
}
