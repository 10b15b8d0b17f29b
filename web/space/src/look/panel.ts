// The fields for the look of a space and for how visitors move in it. Only owners who open them load this.

import { object, text } from '../entity.ts';
import { eyeHeight, movementOf } from '../room.ts';
import type { Data, Triple } from '../server/space.ts';
import { button, element } from '../ui/elements.ts';
import { loadLookMessages } from './messages.ts';
import type { LookKey, LookMessages } from './messages.ts';
import './panel.css';
import { presetChange, presetNames } from './presets.ts';
import type { PresetName } from './presets.ts';

/** What the fields need of the editor. */
export interface RoomActions {
  /** The data of RoomInfo as the owner wants it. */
  data(): Data;
  /** Shows a change that is not to be saved yet. */
  preview(change: Data): void;
  /** Saves the changes that were shown. */
  commit(): void;
  change(change: Data): void;
  /** Uploads a file, and returns its address; null where that failed. */
  attach(file: File): Promise<string | null>;
  /** Gives the places of the next clicks in the view to a function, until null is passed. */
  pickPlaces(taken: ((place: Triple) => void) | null): void;
}

/** The names of a field, and of one within it. */
type Path = readonly [string, string?];

interface Slider {
  path: Path;
  label: LookKey;
  min: number;
  max: number;
  step: number;
  /** The value of a space without the field. */
  plain: number;
}

const effect = (name: LookKey, min: number, max: number, plain: number): Slider => ({
  path: ['framePosteffectParams', name],
  label: name,
  min,
  max,
  step: 0.01,
  plain,
});
const simple = (name: LookKey, min: number, max: number, step: number, plain: number): Slider => ({
  path: [name],
  label: name,
  min,
  max,
  step,
  plain,
});

const pictureSliders: readonly Slider[] = [
  effect('brightness', 0, 2, 1),
  effect('contrast', 0.5, 1.5, 1),
  effect('saturation', 0, 2, 1),
  effect('sharpness', 1, 2, 1),
  effect('bloomIntensity', 0, 1, 0),
  { path: ['vignette', 'intensity'], label: 'vignetteIntensity', min: 0, max: 1, step: 0.01, plain: 0 },
  simple('cameraFOV', 20, 120, 1, 60),
];
const skySliders: readonly Slider[] = [simple('skyboxRotation', 0, 360, 1, 180), simple('skyboxIntensity', 0, 10, 0.1, 3)];
const lightSliders: readonly Slider[] = [
  simple('stageLightIntensity', 0, 15, 0.1, 2.2),
  simple('envLightFinal', 0, 15, 0.1, 3),
  simple('stageLightRotation', 0, 360, 1, 30),
];
const moveSliders: readonly Slider[] = [
  simple('moveSpeed', 0.1, 3, 0.05, 0.8),
  { path: ['movement', 'eyeHeight'], label: 'eyeHeight', min: 0.5, max: 3, step: 0.05, plain: eyeHeight },
];
const soundSliders: readonly Slider[] = [{ path: ['introSoundVolume'], label: 'soundVolume', min: 0, max: 1, step: 0.05, plain: 1 }];
const modes = ['walk', 'fly', 'orbit'] as const;
/** The colours of a sky to begin with. */
const firstSky = { top: '#3f7fcf', horizon: '#cfe3f5', ground: '#8d9096' };

/** Returns the fields, which follow the settings of the space. */
export async function roomPanel(scene: HTMLElement, room: RoomActions): Promise<HTMLElement> {
  return new RoomPanel(room, await loadLookMessages(scene.dataset['language'] ?? 'en'), scene).element;
}

class RoomPanel {
  readonly element: HTMLElement;
  private readonly room: RoomActions;
  private readonly messages: LookMessages;
  /** Each shows the value of its field as it is now. */
  private readonly updates: (() => void)[] = [];
  private corners: Triple[] | null = null;

  constructor(room: RoomActions, messages: LookMessages, scene: HTMLElement) {
    this.room = room;
    this.messages = messages;
    this.element = element('div', { class: 'room-fields' }, ...this.look(), ...this.movement());
    scene.addEventListener('portico:room', () => this.update());
    this.update();
  }

  private update(): void {
    for (const one of this.updates) one();
  }

  private value([name, inner]: Path): unknown {
    const data = this.room.data();
    return inner ? object(data, name)[inner] : data[name];
  }

  private change(path: Path, value: unknown): void {
    this.room.change(changeOf(path, value));
    this.update();
  }

  private look(): HTMLElement[] {
    const { messages } = this;
    const preset = element(
      'select',
      {},
      element('option', { value: '' }, messages('choosePreset')),
      ...presetNames.map((name) => element('option', { value: name }, messages(`preset${name}`))),
    );
    preset.addEventListener('change', () => {
      if (preset.value) this.room.change(presetChange(preset.value as PresetName));
      preset.value = '';
      this.update();
    });
    const tones = this.select(
      'toneMapping',
      ['framePosteffectParams', 'toneMapping'],
      [0, 1, 2, 3, 4, 5].map((tone) => [tone, `tone${tone}` as LookKey]),
      (value) => (typeof value === 'number' ? value : 0),
    );
    return [
      element('label', {}, messages('preset'), preset),
      ...this.sliders(pictureSliders),
      tones,
      this.colour('backgroundColor', ['backgroundColor'], '#1a1c21'),
      ...this.sky(),
      ...this.sliders(lightSliders),
      this.colour('stageLightColor', ['stageLightColor'], '#ffffff'),
      ...this.sound(),
    ];
  }

  private sky(): HTMLElement[] {
    const { messages, room } = this;
    const kind = (): string =>
      text(room.data(), 'skyboxImage') ? 'picture' : object(room.data(), 'skyGradient')['top'] ? 'gradient' : 'none';
    const chosen = element(
      'select',
      {},
      ...(['None', 'Gradient', 'Picture'] as const).map((name) => element('option', { value: name.toLowerCase() }, messages(`sky${name}`))),
    );
    const file = this.file('skyFile', 'image/*', (address) => room.change({ skyboxImage: address }));
    const colours = element(
      'div',
      { class: 'colours' },
      ...(['top', 'horizon', 'ground'] as const).map((name) => this.colour(name, ['skyGradient', name], firstSky[name], false)),
    );
    const more = element('div', {}, ...this.sliders(skySliders), this.check('skyboxHidden', ['skyboxHidden']));
    const show = (wanted: string): void => {
      file.hidden = wanted !== 'picture';
      colours.hidden = wanted !== 'gradient';
      more.hidden = wanted === 'none';
    };
    chosen.addEventListener('change', () => {
      const nothing = { top: null, horizon: null, ground: null };
      if (chosen.value === 'gradient') room.change({ skyboxImage: '', skyGradient: firstSky });
      else if (chosen.value === 'none') room.change({ skyboxImage: '', skyGradient: nothing });
      if (chosen.value === 'picture')
        show('picture'); // until a picture is chosen, the sky stays
      else this.update();
    });
    this.updates.push(() => {
      if (document.activeElement === chosen && chosen.value === 'picture' && kind() !== 'picture') return;
      chosen.value = kind();
      show(chosen.value);
    });
    return [element('label', {}, messages('sky'), chosen), file, colours, more];
  }

  private sound(): HTMLElement[] {
    const { room, messages } = this;
    const file = this.file('sound', 'audio/*', (address) => room.change({ introSoundURL: address, introSoundLoop: true }));
    const remove = button(messages('removeNamed', { name: messages('sound') }), () => this.change(['introSoundURL'], ''), {
      class: 'second',
    });
    const more = element('div', {}, ...this.sliders(soundSliders), this.check('soundLoop', ['introSoundLoop']), remove);
    this.updates.push(() => {
      more.hidden = text(room.data(), 'introSoundURL') === '';
    });
    return [file, more];
  }

  private movement(): HTMLElement[] {
    const { messages, room } = this;
    const start = this.select(
      'startMode',
      ['movement', 'start'],
      [['', 'startAuto'], ...modes.map((mode): [string, LookKey] => [mode, mode])],
      () => movementOf(room.data()).start ?? '',
    );
    const boxes = modes.map((mode) => {
      const box = element('input', { type: 'checkbox' });
      box.addEventListener('change', () => {
        const allowed = modes.filter((one) => (one === mode ? box.checked : (movementOf(room.data()).modes ?? modes).includes(one)));
        // Visitors need one mode.
        if (allowed.length > 0) this.change(['movement', 'modes'], allowed.length === modes.length ? null : allowed);
        else this.update();
      });
      this.updates.push(() => {
        box.checked = (movementOf(room.data()).modes ?? modes).includes(mode);
      });
      return element('label', { class: 'check' }, box, messages(mode));
    });
    const limits = (['nearest', 'farthest', 'lowest', 'highest'] as const).map((name) => this.orbitLimit(name));
    return [
      element('h4', {}, messages('movement')),
      start,
      group(messages('modes'), boxes),
      ...this.sliders(moveSliders),
      ...this.border(),
      group(messages('orbitLimits'), limits),
      this.check('measureForAll', ['allowMeasure']),
    ];
  }

  private border(): HTMLElement[] {
    const { messages, room } = this;
    const status = element('p', { role: 'status' });
    const draw = button('', () => (this.corners ? finish() : begin()), { class: 'second' });
    const remove = button(messages('removeBorder'), () => this.change(['movement', 'border'], null), { class: 'second' });
    const hide = this.check('hideBorder', ['movement', 'hideBorder']);
    const begin = (): void => {
      this.corners = [];
      room.pickPlaces((corner) => {
        if (!draw.isConnected)
          finish(); // the editor was closed meanwhile
        else this.corners?.push(corner);
        // The line is seen as it is drawn.
        if (this.corners && this.corners.length >= 3) room.preview(changeOf(['movement', 'border'], [...this.corners]));
        this.update();
      });
      this.update();
    };
    const finish = (): void => {
      room.pickPlaces(null);
      const { corners } = this;
      this.corners = null;
      if (corners && corners.length >= 3) this.change(['movement', 'border'], corners);
      else this.update();
    };
    this.updates.push(() => {
      const hasBorder = movementOf(room.data()).border.length > 0;
      draw.textContent = messages(this.corners ? 'finishBorder' : 'drawBorder');
      status.textContent = this.corners ? messages('drawingBorder', { count: String(this.corners.length) }) : '';
      remove.hidden = hide.hidden = !hasBorder || this.corners !== null;
    });
    return [element('div', { class: 'buttons' }, draw, remove), status, hide];
  }

  private orbitLimit(name: 'nearest' | 'farthest' | 'lowest' | 'highest'): HTMLElement {
    const { room } = this;
    const isLength = name === 'nearest' || name === 'farthest';
    const field = element('input', {
      type: 'number',
      step: isLength ? '0.1' : '1',
      min: isLength ? '0.01' : '-89',
      max: isLength ? '10000' : '89',
    });
    const now = (): Data => object(object(room.data(), 'movement'), 'orbit');
    field.addEventListener('change', () => {
      if (!field.validity.valid) return;
      this.change(['movement', 'orbit'], { ...now(), [name]: field.value === '' ? null : Number(field.value) });
    });
    this.updates.push(() => {
      const value = now()[name];
      if (document.activeElement !== field) field.value = typeof value === 'number' ? String(value) : '';
    });
    return element('label', {}, this.messages(name), field);
  }

  private sliders(list: readonly Slider[]): HTMLElement[] {
    return list.map(({ path, label, min, max, step, plain }) => {
      const field = element('input', { type: 'range', min: String(min), max: String(max), step: String(step) });
      field.setAttribute('aria-label', this.messages(label)); // without the value, which it has itself
      const shown = element('output');
      const show = (value: number): void => {
        shown.textContent = String(Number(value.toFixed(2)));
      };
      // The view follows the slider; the server hears of it once, at the end.
      field.addEventListener('input', () => {
        show(field.valueAsNumber);
        this.room.preview(changeOf(path, field.valueAsNumber));
      });
      field.addEventListener('change', () => this.room.commit());
      this.updates.push(() => {
        if (field.matches(':active')) return;
        const value = this.value(path);
        field.value = String(typeof value === 'number' ? value : plain);
        show(field.valueAsNumber);
      });
      return element('label', { class: 'slider' }, element('span', {}, this.messages(label)), shown, field);
    });
  }

  private select<T extends string | number>(
    label: LookKey,
    path: Path,
    options: readonly (readonly [T, LookKey])[],
    read: (value: unknown) => T,
  ): HTMLElement {
    const field = element(
      'select',
      {},
      ...options.map(([value, name]) => element('option', { value: String(value) }, this.messages(name))),
    );
    field.addEventListener('change', () => {
      const chosen = options.find(([value]) => String(value) === field.value)?.[0];
      this.change(path, chosen === '' ? null : chosen);
    });
    this.updates.push(() => {
      field.value = String(read(this.value(path)));
    });
    return element('label', {}, this.messages(label), field);
  }

  private colour(label: LookKey, path: Path, plain: string, isRemovable = true): HTMLElement {
    const { messages, room } = this;
    const field = element('input', { type: 'color' });
    field.addEventListener('input', () => room.preview(changeOf(path, field.value)));
    field.addEventListener('change', () => room.commit());
    const remove = button('×', () => this.change(path, ''), { 'aria-label': messages('removeNamed', { name: messages(label) }) });
    this.updates.push(() => {
      const value = this.value(path);
      const colour = typeof value === 'string' ? /^#[0-9a-f]{6}/i.exec(value)?.[0] : undefined;
      field.value = colour ?? plain;
      remove.hidden = !isRemovable || !value;
    });
    return element('div', { class: 'colour' }, element('label', {}, messages(label), field), remove);
  }

  private check(label: LookKey, path: Path): HTMLElement {
    const field = element('input', { type: 'checkbox' });
    field.addEventListener('change', () => this.change(path, field.checked));
    this.updates.push(() => {
      field.checked = this.value(path) === true;
    });
    return element('label', { class: 'check' }, field, this.messages(label));
  }

  private file(label: LookKey, accept: string, use: (address: string) => void): HTMLElement {
    const field = element('input', { type: 'file', accept });
    field.addEventListener('change', () => {
      const file = field.files?.[0];
      if (!file) return;
      void this.room.attach(file).then((address) => {
        field.value = '';
        if (address) use(address);
        this.update();
      });
    });
    return element('label', { class: 'file' }, this.messages(label), field);
  }
}

function changeOf([name, inner]: Path, value: unknown): Data {
  return inner ? { [name]: { [inner]: value } } : { [name]: value };
}

function group(label: string, fields: readonly HTMLElement[]): HTMLElement {
  return element('fieldset', {}, element('legend', {}, label), ...fields);
}
