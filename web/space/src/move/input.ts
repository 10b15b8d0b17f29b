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

/** Two fingers that touch farther apart than this share of the view are thumbs. */
const thumbsApart = 0.45;
/** How far a thumb moves, in pixels, for full speed. */
const stickReach = 60;

/** A finger, or the mouse. A thumb that moves the visitor has the position where it touched first. */
interface Touch {
  x: number;
  y: number;
  stick?: { x: number; y: number };
}

export class Input {
  /** Called with the place of a click or a tap on the canvas. */
  onClick: (x: number, y: number) => void = () => {};
  /** While this is set, drags and clicks are for something in the view and not for the camera. */
  paused = false;
  /** Whether two thumbs move and turn the view; otherwise two fingers always change the distance. */
  thumbs = false;
  private readonly canvas: HTMLCanvasElement;
  private readonly held = new Map<string, keyof Held>();
  private readonly touches = new Map<number, Touch>();
  private readonly off = new AbortController();
  private turned = 0;
  private tilted = 0;
  private zoomed = 1;
  private travel = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    const options = { signal: this.off.signal };
    window.addEventListener('keydown', (event) => this.press(event), options);
    window.addEventListener('keyup', (event) => this.held.delete(event.code), options);
    window.addEventListener('blur', () => this.held.clear(), options);
    canvas.addEventListener('pointerdown', (event) => this.startTouch(event), options);
    canvas.addEventListener('pointermove', (event) => this.drag(event), options);
    canvas.addEventListener('pointerup', (event) => this.lift(event, true), options);
    canvas.addEventListener('pointercancel', (event) => this.lift(event, false), options);
    canvas.addEventListener('contextmenu', (event) => event.preventDefault(), options);
    canvas.addEventListener(
      'wheel',
      (event) => {
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
    // Letters always move; keys that scroll pages, only while the view has the focus.
    const focus = document.activeElement;
    const free = focus === document.body && /^(Key|Shift)/.test(event.code);
    const move = moves[event.code];
    if ((focus !== this.canvas && !free) || !move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.held.set(event.code, move);
  }

  private startTouch(event: PointerEvent): void {
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    if (this.touches.size === 0) this.travel = 0;
    this.touches.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (this.touches.size === 2) this.startStick();
  }

  /** Makes the left one of two thumbs a stick. The right one still turns the view. */
  private startStick(): void {
    this.travel += slack; // two fingers do not tap
    const [left, right] = [...this.touches.values()].sort((a, b) => a.x - b.x);
    if (!left || !right || !this.thumbs || right.x - left.x < thumbsApart * this.canvas.clientWidth) return;
    left.stick = { x: left.x, y: left.y };
  }

  /** Returns the position of the stick, right and down, each from -1 to 1. */
  private stick(): [number, number] {
    const thumb = [...this.touches.values()].find((one) => one.stick);
    if (!thumb?.stick || this.paused) return [0, 0];
    const share = [thumb.x - thumb.stick.x, thumb.y - thumb.stick.y].map((way) =>
      Math.abs(way) < slack ? 0 : Math.max(-1, Math.min(1, way / stickReach)),
    );
    return [share[0]!, share[1]!];
  }

  private drag(event: PointerEvent): void {
    const last = this.touches.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.offsetX - last.x, event.offsetY - last.y];
    this.travel += Math.hypot(dx, dy);
    const spread = this.spread();
    Object.assign(last, { x: event.offsetX, y: event.offsetY });
    if (this.paused || last.stick) return;
    const walking = [...this.touches.values()].some((one) => one.stick);
    if (this.touches.size === 1 || walking) {
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
    if (known && click && !this.paused && this.travel < slack && this.touches.size === 0) this.onClick(event.offsetX, event.offsetY);
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
    const [aside, down] = this.stick();
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
