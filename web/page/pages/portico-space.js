// The element <portico-space src="https://portico.example/SPACE_ID">: a space within a page, and the
// messages to it. docs/embed.md describes both. The package @portico/client contains this file, and has the
// types.

/** @typedef {import('../../client/src/embed.ts').PorticoSpaceElement} Element */
/** @typedef {import('../../client/src/messages.ts').Request} Request */
/** @typedef {{message: Request & {portico: number, id: number}, resolve: (answer: any) => void, reject: (reason: Error) => void}} Waiting */

const version = 1;
const attributes = ['src', 'start', 'ui', 'lang'];
const events = ['view', 'mode', 'annotation', 'tour', 'marker', 'visitors'];

// Where there is no page, such as where a server renders one, the file can be imported and does nothing.
const Base = globalThis.HTMLElement ?? class {};

/** @implements {Element} */
class PorticoSpace extends Base {
  static observedAttributes = attributes;

  /** @type {HTMLIFrameElement | null} */
  #frame = null;

  // The space in the frame listens.
  #listening = false;

  /** @type {Map<number, Waiting>} */
  #requests = new Map();

  #last = 0;

  #end = new AbortController();

  connectedCallback() {
    this.#end = new AbortController();
    addEventListener('message', (event) => this.#receive(event), { signal: this.#end.signal });
    if (!this.shadowRoot) {
      this.attachShadow({ mode: 'open' }).innerHTML =
        '<style>:host{display:block;aspect-ratio:16/9}iframe{width:100%;height:100%;border:0;display:block}</style>';
    }
    this.#show();
  }

  disconnectedCallback() {
    this.#end.abort();
    this.#frame?.remove();
    this.#frame = null;
    this.#refuse('The element was removed');
  }

  attributeChangedCallback() {
    if (this.isConnected && this.shadowRoot) this.#show();
  }

  /** Resolves with what the space has: its title, modes, annotations, tours and paths. */
  get ready() {
    return this.request('hello', { watchView: this.hasAttribute('watch-view') });
  }

  /**
   * Sends a request, and resolves with the answer.
   *
   * @param {Request['type']} type
   * @param {Record<string, unknown>} [fields]
   * @returns {Promise<any>}
   */
  request(type, fields = {}) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const message = /** @type {Waiting['message']} */ ({ ...fields, portico: version, type, id });
      this.#requests.set(id, { message, resolve, reject });
      this.#send(id);
    });
  }

  getView() {
    return this.request('getView');
  }

  /** @type {Element['setView']} */
  setView(view) {
    return this.request('setView', typeof view === 'string' ? { view } : { ...view });
  }

  /** @type {Element['open']} */
  open(entityId) {
    return this.request('open', { entityId });
  }

  next() {
    return this.request('step', { by: 1 });
  }

  previous() {
    return this.request('step', { by: -1 });
  }

  pause() {
    return this.request('pause');
  }

  close() {
    return this.request('close');
  }

  /** @type {Element['setMode']} */
  setMode(mode) {
    return this.request('setMode', { mode });
  }

  /** @type {Element['setLook']} */
  setLook(look) {
    return this.request('setLook', { look });
  }

  /** @type {Element['setSound']} */
  setSound(on) {
    return this.request('setSound', { on });
  }

  get #address() {
    const source = this.getAttribute('src');
    if (!source || !URL.canParse(source, location.href)) return null;
    const address = new URL(source, location.href);
    if (!address.pathname.startsWith('/embed/')) address.pathname = `/embed${address.pathname}`;
    for (const name of ['start', 'ui', 'lang']) {
      const value = this.getAttribute(name);
      if (value !== null) address.searchParams.set(name, value);
    }
    return ['https:', 'http:'].includes(address.protocol) ? address : null;
  }

  #show() {
    const address = this.#address;
    if (this.#frame?.src === (address?.href ?? '')) return;
    this.#frame?.remove();
    this.#frame = null;
    this.#listening = false;
    this.#refuse('Another space is shown');
    if (!address) return;
    this.#frame = Object.assign(document.createElement('iframe'), {
      src: address.href,
      title: this.getAttribute('title') ?? '3D space',
      loading: 'lazy',
      allow: 'autoplay; clipboard-write; fullscreen; gamepad; xr-spatial-tracking',
      allowFullscreen: true,
    });
    this.shadowRoot?.append(this.#frame);
  }

  /** @param {string} reason */
  #refuse(reason) {
    for (const { reject } of this.#requests.values()) reject(new Error(reason));
    this.#requests.clear();
  }

  /** @param {number} id */
  #send(id) {
    if (this.#listening) this.#frame?.contentWindow?.postMessage(this.#requests.get(id)?.message, this.#address?.origin ?? '');
  }

  /** @param {MessageEvent<any>} event */
  #receive({ data, source, origin }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#address?.origin || data?.portico !== version) return;
    const { portico, type, id, ...rest } = data;
    if (type === 'listening') {
      this.#listening = true;
      // Requests from before the space listened are sent now, and a page that only has listeners is greeted.
      if (![...this.#requests.values()].some(({ message }) => message.type === 'hello')) this.ready.catch(() => {});
      for (const waiting of this.#requests.keys()) this.#send(waiting);
      return;
    }
    const request = this.#requests.get(id);
    if (request) {
      this.#requests.delete(id);
      if (type === 'error') request.reject(new Error(rest.message));
      else request.resolve(rest);
    }
    if (type === 'ready' || events.includes(type)) this.dispatchEvent(new CustomEvent(type, { detail: rest.detail ?? rest }));
  }
}

if (globalThis.customElements && !customElements.get('portico-space')) customElements.define('portico-space', PorticoSpace);
