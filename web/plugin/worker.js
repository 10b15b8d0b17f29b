// Runs one plugin in a worker of its own, which has no page, no storage and no network, and
// gives it the interface that docs/plugins.md describes.

const post = self.postMessage.bind(self);
// One plugin has one thread, which its frame can end.
delete self.Worker;
delete self.importScripts;

const handlers = new Map();

/** Calls the plugin's handlers of an event. */
function emit(type, event) {
  for (const handler of handlers.get(type) ?? []) handler(event);
}

/** Returns what the default function of the plugin is called with. */
function interfaceOf({ version, space, entity, visitor, language }) {
  return {
    version, space, entity, visitor, language,
    on(type, handler) {
      handlers.set(type, [...(handlers.get(type) ?? []), handler]);
    },
    show: (...shapes) => post({ type: 'show', shapes }),
    move: (placement) => post({ type: 'move', ...placement }),
    panel: (content) => post({ type: 'panel', content: content ?? null }),
  };
}

async function start(message) {
  post({ type: 'pong' }); // the worker has started
  const { default: run } = await import(message.module);
  if (typeof run !== 'function') throw new TypeError('the module has no default function');
  const portico = interfaceOf(message);
  handlers.set('visitor', [(event) => { portico.visitor = event.visitor; }]);
  handlers.set('entity', [(event) => { portico.entity = event.entity; }]);
  await run(portico);
}

self.addEventListener('message', ({ data }) => {
  if (data.type === 'ping') post({ type: 'pong' });
  else if (data.type === 'start') start(data).catch((error) => post({ type: 'failed', reason: String(error).slice(0, 500) }));
  else emit(data.type, data);
});
