// Files that the owner adds: dropped into the view, or chosen. Each is sent, prepared, and then
// is placed where it was dropped.

import type { Vec3 } from 'playcanvas';
import { kindOf } from '../entity.ts';
import type { EntityRow, FileRow } from '../server/space.ts';
import { button, element } from '../ui/elements.ts';
import { placementChange } from './fields.ts';
import type { EditMessages } from './messages.ts';
import { describeFileProblem } from './problem.ts';
import { readDropped } from './dropped.ts';
import type { Dropped } from './dropped.ts';
import { newEntityId } from './server.ts';
import type { Batch } from './settle.ts';
import { upload } from './upload.ts';
import type { Progress } from './upload.ts';

export interface DropTarget {
  scene: HTMLElement;
  /** Reports whether files can be added now. */
  isOpen(): boolean;
  /** Returns the place in the space at a point of the view, in CSS pixels. */
  place(x: number, y: number): Vec3;
  /** Adds an entity where it was dropped; it is to stand there, beside the others of its batch. */
  add(entity: EntityRow, batch: Batch): void;
  /** Returns a new batch, for the view that the owner has. */
  batch(): Batch;
}

/** The maximum number of files that are sent at the same time. */
const atOnce = 2;

export class Drop {
  readonly element: HTMLElement;
  private readonly list = element('ul', {});
  private readonly input = element('input', { type: 'file', multiple: '', hidden: '' });
  private readonly messages: EditMessages;
  private readonly target: DropTarget;
  private readonly waiting: (() => Promise<void>)[] = [];
  private running = 0;

  constructor(messages: EditMessages, target: DropTarget) {
    this.messages = messages;
    this.target = target;
    this.element = element('section', { class: 'uploads', 'aria-label': messages('uploads') }, this.list, this.input);
    this.element.hidden = true;
    this.input.addEventListener('change', () => {
      const { clientWidth, clientHeight } = target.scene;
      // A chosen file is placed where the middle of the view meets the ground.
      this.add([...(this.input.files ?? [])], target.place(clientWidth / 2, clientHeight / 2));
      this.input.value = '';
    });
  }

  /** Reports whether files are on their way. */
  get busy(): boolean {
    return this.running > 0;
  }

  choose(): void {
    if (this.target.isOpen()) this.input.click();
  }

  /** Takes files that are dropped into the view, until the signal aborts. */
  listen(signal: AbortSignal): void {
    const { scene } = this.target;
    const mark = (on: boolean): void => {
      scene.classList.toggle('dropping', on);
    };
    scene.addEventListener(
      'dragover',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'copy';
        mark(true);
      },
      { signal },
    );
    scene.addEventListener(
      'dragleave',
      (event) => {
        if (!scene.contains(event.relatedTarget as Node | null)) mark(false);
      },
      { signal },
    );
    scene.addEventListener(
      'drop',
      (event) => {
        mark(false);
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        this.take(readDropped(event.dataTransfer), event.clientX, event.clientY);
      },
      { signal },
    );
  }

  /** Adds what was dropped at a point of the window. */
  take({ files, folders }: Dropped, x: number, y: number): void {
    if (!this.target.isOpen()) return;
    const box = this.target.scene.getBoundingClientRect();
    const place = this.target.place(x - box.left, y - box.top);
    for (const name of folders) this.row(name).fail(this.messages('folder'));
    this.add(files, place);
  }

  private add(files: readonly File[], place: Vec3): void {
    const batch = this.target.batch();
    files.forEach((file, index) => {
      const row = this.row(file.name);
      if (file.size === 0) {
        row.fail(this.messages('empty'));
        return;
      }
      // Several files are placed side by side.
      const at = place.clone().add(batch.along.clone().mulScalar(index));
      this.waiting.push(() => this.send(file, row, at, batch));
    });
    this.next();
  }

  private next(): void {
    while (this.running < atOnce && this.waiting.length > 0) {
      this.running++;
      void this.waiting.shift()!().finally(() => {
        this.running--;
        this.next();
      });
    }
  }

  private async send(file: File, row: Row, place: Vec3, batch: Batch): Promise<void> {
    if (row.signal.aborted) return;
    try {
      const stored = await upload(file, (progress) => row.report(progress), row.signal);
      row.end();
      this.target.add(newFileEntity(stored, place, batch), batch);
    } catch (problem) {
      if (row.signal.aborted) row.end();
      else row.fail(describeFileProblem(problem, this.messages));
    }
  }

  private row(name: string): Row {
    const row = new Row(name, this.messages, () => {
      this.element.hidden = this.list.children.length === 0;
    });
    this.list.append(row.element);
    this.element.hidden = false;
    return row;
  }
}

/** Returns an entity that shows a file at a place. Pictures and videos face the owner. */
function newFileEntity(file: FileRow, { x, y, z }: Vec3, { along }: Batch): EntityRow {
  const entity: EntityRow = {
    id: '',
    entityId: newEntityId('file'),
    type: 'UserModelEntity',
    version: 0,
    createdAt: '',
    data: {},
    readUrl: file.readUrl,
    file,
  };
  const position = placementChange(entity, 'position', [x, y, z]);
  if (!['image', 'video'].includes(kindOf(entity))) return { ...entity, data: position };
  const yaw = (Math.atan2(-along.z, along.x) * 180) / Math.PI;
  return { ...entity, data: { ...position, ...placementChange(entity, 'rotation', [0, yaw, 0]) } };
}

/** A file that is being added, as the panel shows it. */
class Row {
  readonly element: HTMLElement;
  private readonly messages: EditMessages;
  private readonly name: string;
  private readonly bar: HTMLProgressElement;
  private readonly step = element('p', { class: 'step' });
  private readonly stop: HTMLButtonElement;
  private readonly canceled = new AbortController();
  private readonly ended: () => void;

  constructor(name: string, messages: EditMessages, ended: () => void) {
    this.name = name;
    this.messages = messages;
    this.ended = ended;
    this.bar = element('progress', { max: '1', value: '0', 'aria-label': name });
    this.stop = button(messages('cancel'), () => this.cancel(), { class: 'second', 'aria-label': messages('cancelName', { name }) });
    this.element = element('li', {}, element('span', { class: 'name' }, name), this.stop, this.bar, this.step);
  }

  get signal(): AbortSignal {
    return this.canceled.signal;
  }

  report(progress: Progress): void {
    this.bar.value = progress.share;
    const percent = String(Math.floor(progress.share * 100));
    this.step.textContent = this.messages(progress.step, { percent });
  }

  private cancel(): void {
    this.canceled.abort(new DOMException('canceled', 'AbortError'));
    this.end();
  }

  end(): void {
    this.element.remove();
    this.ended();
  }

  /** Says why the file could not be added, until the owner has read it. */
  fail(line: string): void {
    this.bar.remove();
    this.step.setAttribute('role', 'alert');
    this.step.textContent = line;
    this.stop.textContent = this.messages('remove');
    this.stop.setAttribute('aria-label', this.messages('removeName', { name: this.name }));
  }
}
