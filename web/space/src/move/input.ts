// What the visitor does with keys, mouse, fingers and gamepad, as one intent for each frame.

export interface Intent {
  /** Forward, right and up, each from -1 to 1. */
  forward: number;
  right: number;
  up: number;
  /** Degrees to turn to the left and upwards. */
  turn: number;
  tilt: number;
  /** The factor by which to change the distance: below 1 is nearer. */
  zoom: number;
  fast: boolean;
  jump: boolean;
}

const degreesPerPixel = 0.2;
const degreesPerSecond = 90;
/** A press that moves fewer pixels than this is a click. */
const slack = 6;

/** Keys by their place on the keyboard, so that they work on every layout. */
const moves: Record<string, keyof Held> = {
  KeyW: 'forward',
  ArrowUp: 'forward',
  KeyS: 'back',
  ArrowDown: 'back',
  KeyA: 'left',
  KeyD: 'right',
  ArrowLeft: 'turnLeft',
  ArrowRight: 'turnRight',
  KeyE: 'up',
  KeyQ: 'down',
  Space: 'up',
  PageUp: 'up',
  PageDown: 'down',
  ShiftLeft: 'fast',
  ShiftRight: 'fast',
};

type Held = Record<'forward' | 'back' | 'left' | 'right' | 'turnLeft' | 'turnRight' | 'up' | 'down' | 'fast', number>;

/** A finger, or the mouse. */
interface Touch {
  x: number;
  y: number;
}

/** Reports whether somebody types into an element, so that letters are text. */
export function isTextField(element: Element | null): boolean {
  if (element instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'range', 'button', 'submit', 'reset', 'color', 'file'].includes(element.type);
  return (
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement ||
    (element instanceof HTMLElement && element.isContentEditable)
  );
}

export class Input {
  /** Called with the place of a click or a tap on the canvas. */
  onClick: (x: number, y: number) => void = () => {};
  /** While this is set, drags and clicks are for something in the view and not for the camera. */
  paused = false;
  /** The position of the joystick: right and down, each from -1 to 1. */
  stick: readonly [number, number] = [0, 0];
  private readonly canvas: HTMLCanvasElement;
  private readonly held = new Map<string, keyof Held>();
  private readonly touches = new Map<number, Touch>();
  private readonly off = new AbortController();
  private turned = 0;
  private tilted = 0;
  private zoomed = 1;
  private travel = 0;

  /** isFramed is whether a page around this one scrolls: then the wheel and fingers are the view's only after a click into it. */
  constructor(canvas: HTMLCanvasElement, isFramed: boolean) {
    this.canvas = canvas;
    canvas.classList.toggle('shared', isFramed);
    const options = { signal: this.off.signal };
    window.addEventListener('keydown', (event) => this.press(event), options);
    window.addEventListener('keyup', (event) => this.held.delete(event.code), options);
    window.addEventListener('blur', () => this.held.clear(), options);
    canvas.addEventListener('pointerdown', (event) => this.startTouch(event), options);
    canvas.addEventListener('pointermove', (event) => this.drag(event), options);
    canvas.addEventListener('pointerup', (event) => this.lift(event, true), options);
    canvas.addEventListener('pointercancel', (event) => this.lift(event, false), options);
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), options);
    document.addEventListener('pointerlockchange', () => canvas.classList.toggle('locked', this.isLocked), options);
    window.addEventListener('blur', () => canvas.classList.toggle('shared', isFramed), options);
    canvas.addEventListener(
      'pointerleave',
      (event) => {
        if (event.pointerType === 'mouse') canvas.classList.toggle('shared', isFramed);
      },
      options,
    );
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (canvas.classList.contains('shared')) return;
        event.preventDefault();
        this.zoomed *= Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.002);
      },
      { ...options, passive: false },
    );
  }

  destroy(): void {
    this.off.abort();
  }

  private press(event: KeyboardEvent): void {
    // Letters always move, unless somebody types; keys that also press buttons and scroll, only while nothing else has the focus.
    const focus = document.activeElement;
    const isFree = focus === this.canvas || focus === document.body;
    const isLetter = /^(Key|Shift)/.test(event.code) && !isTextField(focus) && !document.querySelector('dialog[open]');
    const move = moves[event.code];
    if (!(isFree || isLetter) || !move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.held.set(event.code, move);
  }

  private startTouch(event: PointerEvent): void {
    this.canvas.focus({ preventScroll: true });
    if (!this.isLocked) this.canvas.setPointerCapture(event.pointerId);
    if (this.touches.size === 0) this.travel = 0;
    this.touches.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.touches.size === 2) this.travel += slack; // two fingers do not tap
  }

  /** Lets the mouse turn the view without a button, until Escape. A browser may refuse. */
  async lock(): Promise<void> {
    await this.canvas.requestPointerLock();
  }

  private get isLocked(): boolean {
    return document.pointerLockElement === this.canvas;
  }

  private drag(event: PointerEvent): void {
    if (this.isLocked) {
      // The view follows the mouse.
      this.turned -= event.movementX * degreesPerPixel;
      this.tilted -= event.movementY * degreesPerPixel;
      return;
    }
    const last = this.touches.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.offsetX - last.x, event.offsetY - last.y];
    this.travel += Math.hypot(dx, dy);
    const spread = this.spread();
    Object.assign(last, { x: event.offsetX, y: event.offsetY });
    if (this.paused) return;
    if (this.touches.size === 1) {
      // The scene follows the pointer, so the camera turns the other way.
      this.turned += dx * degreesPerPixel;
      this.tilted += dy * degreesPerPixel;
    } else if (spread > 0) {
      this.zoomed *= spread / Math.max(1, this.spread());
    }
  }

  /** Returns the distance between two fingers. */
  private spread(): number {
    const [a, b] = [...this.touches.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  private lift(event: PointerEvent, click: boolean): void {
    const known = this.touches.delete(event.pointerId);
    if (!known || !click || this.paused || this.travel >= slack || this.touches.size > 0) return;
    this.canvas.classList.remove('shared');
    if (this.isLocked) this.onClick(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2);
    else this.onClick(event.offsetX, event.offsetY);
  }

  /** Returns the intent since the last call, and resets it. */
  read(seconds: number): Intent {
    const held: Held = { forward: 0, back: 0, left: 0, right: 0, turnLeft: 0, turnRight: 0, up: 0, down: 0, fast: 0 };
    for (const move of this.held.values()) held[move] = 1;
    const pad = navigator.getGamepads?.().find((one) => one?.mapping === 'standard');
    const axis = (index: number): number => {
      const value = pad?.axes[index] ?? 0;
      return Math.abs(value) < 0.15 ? 0 : value; // sticks do not rest exactly in the middle
    };
    const button = (index: number): number => pad?.buttons[index]?.value ?? 0;
    const [aside, down] = this.paused ? [0, 0] : this.stick;
    const intent: Intent = {
      forward: held.forward - held.back - axis(1) - down,
      right: held.right - held.left + axis(0) + aside,
      up: held.up - held.down + button(7) - button(6),
      turn: this.turned + (held.turnLeft - held.turnRight - axis(2)) * degreesPerSecond * seconds,
      tilt: this.tilted - axis(3) * degreesPerSecond * seconds,
      zoom: this.zoomed,
      fast: held.fast + button(10) > 0,
      jump: [...this.held.keys()].includes('Space') || button(0) > 0.5,
    };
    this.turned = this.tilted = 0;
    this.zoomed = 1;
    return intent;
  }
}
