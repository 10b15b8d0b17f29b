// The element <portico-space src="https://portico.example/SPACE_ID">: a space within a page, and the
// messages to it. docs/embed.md describes both.

const version = 1;
const attributes = ['src', 'start', 'ui', 'lang'];
const events = ['view', 'mode', 'annotation', 'tour', 'marker', 'visitors'];

class PorticoSpace extends HTMLElement {
  static observedAttributes = attributes;

  #frame = null;

  // The space in the frame listens.
  #listening = false;

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

  /** Sends a request, and resolves with the answer. */
  request(type, fields = {}) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#requests.set(id, { message: { ...fields, portico: version, type, id }, resolve, reject });
      this.#send(id);
    });
  }

  getView() {
    return this.request('getView');
  }

  /** Shows a view: the text of a link to one, or {position, target} in metres. */
  setView(view) {
    return this.request('setView', typeof view === 'string' ? { view } : view);
  }

  /** Opens an annotation, or plays a tour or a path. */
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

  setMode(mode) {
    return this.request('setMode', { mode });
  }

  /** Changes the look in this frame alone, by the keys of docs/looks.md. */
  setLook(look) {
    return this.request('setLook', { look });
  }

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
    this.shadowRoot.append(this.#frame);
  }

  #refuse(reason) {
    for (const { reject } of this.#requests.values()) reject(new Error(reason));
    this.#requests.clear();
  }

  #send(id) {
    if (this.#listening) this.#frame.contentWindow.postMessage(this.#requests.get(id).message, this.#address.origin);
  }

  #receive({ data, source, origin }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#address.origin || data?.portico !== version) return;
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

if (!customElements.get('portico-space')) customElements.define('portico-space', PorticoSpace);
