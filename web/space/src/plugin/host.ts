// The page's side of a plugin: a sandboxed frame that runs it, and a channel to it. The
// frame (web/plugin) ends a plugin that hangs or sends too much.

import { readMessage, version } from './message.ts';
import type { Message } from './message.ts';

/** Why a plugin has ended. */
export type Reason = 'hanging' | 'flood' | 'failed';

export interface HostEvents {
  message(message: Message): void;
  ended(reason: Reason): void;
}

const reasons: readonly unknown[] = ['hanging', 'flood', 'failed'] satisfies Reason[];

export class Host {
  private readonly frame: HTMLIFrameElement;
  private readonly channel = new MessageChannel();

  /** Runs a module in the frame at an address; what the plugin knows at its start is in start. */
  constructor(frameAddress: string, module: string, start: object, events: HostEvents) {
    this.channel.port1.onmessage = ({ data }: MessageEvent<unknown>) => this.receive(data, events);
    this.frame = document.createElement('iframe');
    // No allow-same-origin: the plugin has an origin that nothing else has.
    this.frame.setAttribute('sandbox', 'allow-scripts');
    this.frame.setAttribute('allow', '');
    this.frame.referrerPolicy = 'no-referrer';
    this.frame.title = 'plugin';
    this.frame.hidden = true;
    const address = new URL(frameAddress);
    address.searchParams.set('module', module);
    this.frame.src = address.href;
    this.frame.addEventListener(
      'load',
      () => {
        // The opaque origin has no name. The frame takes the port of its first message alone.
        this.frame.contentWindow?.postMessage({ type: 'start', version, module, ...start }, '*', [this.channel.port2]);
      },
      { once: true },
    );
    document.body.append(this.frame);
  }

  private receive(data: unknown, events: HostEvents): void {
    const { plugin, stopped } = Object(data) as { plugin?: unknown; stopped?: unknown };
    if (reasons.includes(stopped)) {
      this.destroy();
      events.ended(stopped as Reason);
      return;
    }
    const message = readMessage(plugin);
    if (message) events.message(message);
  }

  send(event: { type: string; [field: string]: unknown }): void {
    this.channel.port1.postMessage(event);
  }

  destroy(): void {
    this.channel.port1.close();
    this.frame.remove();
  }
}
