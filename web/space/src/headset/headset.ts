// A visit with a headset: its buttons, its options, and the view that it leaves behind.

import type { Messages } from '../i18n.ts';
import { lookAt } from '../move/controls.ts';
import type { Controls } from '../move/controls.ts';
import type { Solid } from '../move/solid.ts';
import type { Pointer } from '../pointer.ts';
import type { Stage } from '../scene/stage.ts';
import type { Overlay } from '../ui/overlay.ts';
import type { View } from '../view.ts';
import { comfortFields, readComfort } from './comfort.ts';
import { realities } from './detect.ts';
import type { Reality } from './detect.ts';
import { Session } from './session.ts';

export interface HeadsetOptions {
  stage: Stage;
  overlay: Overlay;
  messages: Messages;
  controls: Controls;
  pointer: Pointer;
  reducedMotion: boolean;
  solids(): readonly Solid[];
}

/** The beam of a controller reaches this far, in metres. */
const reach = 12;
const leave = { vr: 'vrLeave', ar: 'arLeave' } as const;

export class Headset {
  private readonly options: HeadsetOptions;
  private readonly session: Session;
  private readonly buttons = new Map<Reality, HTMLButtonElement>();

  constructor(options: HeadsetOptions) {
    this.options = options;
    const { overlay, messages, stage, solids, reducedMotion, pointer } = options;
    for (const one of realities)
      this.buttons.set(
        one,
        overlay.addTool(one, () => void this.toggle(one)),
      );
    const comfort = readComfort(reducedMotion);
    overlay.addHelp(messages('helpHeadset'), comfortFields(comfort, messages));
    this.session = new Session(stage, () => solids(), comfort, {
      offered: (offered) =>
        this.buttons.forEach((one, reality) => {
          one.hidden = !offered.includes(reality);
        }),
      changed: (reality) => this.showReality(reality),
      hit: (from, direction) => pointer.hit(from, direction, reach),
    });
  }

  /** Whether the headset shows the space now. */
  get active(): boolean {
    return this.session.active;
  }

  /** What the camera shows. */
  get view(): View {
    const { camera } = this.options.stage;
    const { mode, distance } = this.options.controls.current;
    const eye = camera.getPosition();
    const ahead = eye.clone().add(camera.forward.clone().mulScalar(distance));
    return lookAt(mode, [eye.x, eye.y, eye.z], [ahead.x, ahead.y, ahead.z]);
  }

  /** Puts the visitor at a view, at once. */
  show({ eye, yaw }: View): void {
    this.session.show(eye, yaw);
  }

  end(): void {
    this.session.end();
  }

  private async toggle(reality: Reality): Promise<void> {
    if (this.active) {
      this.end();
      return;
    }
    try {
      const { controls } = this.options;
      await this.session.start(reality, { mode: controls.current.mode, eyeHeight: controls.eyeHeight, border: controls.border });
    } catch (error) {
      console.warn('The headset cannot be used:', error);
      this.options.overlay.say(this.options.messages('headsetFailed'));
    }
  }

  private showReality(reality: Reality | null): void {
    const { controls, messages } = this.options;
    controls.enabled = reality === null;
    for (const [one, tool] of this.buttons) {
      tool.title = tool.querySelector('.label')!.textContent = messages(one === reality ? leave[one] : one);
    }
    // Keys and fingers continue from the place that the headset moved to.
    if (!reality) controls.show(this.view);
  }
}
