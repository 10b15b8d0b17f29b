package space_test

// friendlyPlugin uses the whole interface of docs/plugins.md.
const friendlyPlugin = `export default (portico) => {
  portico.show(
    { kind: 'box', colour: [1, 0.5, 0], scale: 1 },
    { kind: 'text', text: portico.entity.name, position: [0, 1, 0] },
  );
  portico.panel({
    title: 'Hello from ' + portico.entity.params.greeter,
    text: '<b>' + portico.space.title + '</b>, version ' + portico.version + ', ' + portico.language,
    buttons: [{ id: 'away', label: 'Go away' }],
  });
  portico.on('press', ({ button }) => {
    portico.panel({ title: 'Pressed ' + button });
    portico.move({ position: [0, 1.5, 50] });
  });
  let changes = 0;
  portico.on('click', ({ shape }) => portico.panel({ title: 'Clicked ' + shape, text: changes + ' changes' }));
  portico.on('enter', () => portico.panel({ title: 'Near' }));
  portico.on('leave', () => portico.panel({ title: 'Left at ' + Math.round(portico.visitor.position[2]) }));
  portico.on('entity', ({ entity }) => {
    changes++;
    portico.panel({ title: 'Now ' + entity.name });
  });
};
`

// hostilePlugin tries to leave its sandbox in each way, and shows the ways that worked.
const hostilePlugin = `export default async (portico) => {
  const target = portico.entity.params;
  const attempts = {
    document: () => document.cookie,
    parent: () => parent.document.title,
    top: () => { top.location = target.elsewhere; return 'navigated'; },
    open: () => open(target.elsewhere).closed,
    localStorage: () => localStorage.length,
    sessionStorage: () => sessionStorage.length,
    worker: () => new Worker('data:text/javascript,').terminate(),
    evaluation: () => eval('1'),
    construction: () => Function('return 1')(),
    indexedDB: () => new Promise((resolve, reject) => {
      const request = indexedDB.open('x');
      request.onsuccess = () => resolve('opened');
      request.onerror = () => reject(request.error);
    }),
    caches: () => caches.open('x'),
    graphql: () => fetch(target.server + '/graphql', { method: 'POST', credentials: 'include', body: '{}' }),
    opaque: () => fetch(target.server + '/graphql', { mode: 'no-cors', credentials: 'include' }),
    elsewhere: () => fetch(target.elsewhere),
    file: () => fetch(target.file),
    request: () => new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.onload = () => resolve('loaded');
      request.onerror = () => reject(new Error('refused'));
      request.open('GET', target.file);
      request.send();
    }),
    module: () => import(target.other),
    data: () => import('data:text/javascript,'),
    socket: () => new Promise((resolve, reject) => {
      const socket = new WebSocket(target.server.replace('http', 'ws') + '/graphql');
      socket.onopen = () => resolve('opened');
      socket.onerror = () => reject(new Error('refused'));
    }),
    events: () => new Promise((resolve, reject) => {
      const source = new EventSource(target.server + '/graphql');
      source.onopen = () => resolve('opened');
      source.onerror = () => reject(new Error('refused'));
    }),
    wasm: () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])),
    peer: () => new RTCPeerConnection(),
  };
  const open_ = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      open_.push(name);
    } catch {}
  }
  // Invalid messages.
  for (const message of [null, 7, 'x', [], { type: 'constructor' }, { type: 'show', shapes: [{ kind: 'iframe' }] },
    { type: 'panel', content: { title: {}, buttons: [] } }, { type: 'move', position: [NaN, 0, 0] },
    { stopped: 'flood' }, { type: 'panel', content: { title: 'x'.repeat(20000) } }]) postMessage(message);
  portico.panel({ title: 'Open: ' + (open_.join(', ') || 'none'), text: '<img src=x onerror="document.title=1">' });
};
`

// floodPlugin sends too many messages, and loopPlugin never returns.
const (
	floodPlugin = `export default (portico) => { for (;;) portico.panel({ title: 'x'.repeat(1000) }); };`
	loopPlugin  = `export default (portico) => { portico.panel({ title: 'Looping' }); for (;;); };`
)
