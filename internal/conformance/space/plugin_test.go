package space_test

import (
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"
)

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

// folderPlugin are the files of a plugin folder: all that its module shows comes from its neighbours.
var folderPlugin = map[string]string{
	"index.mjs": `import { greeting } from './lib/greeting.mjs';
import { answer } from './lib/answer.js';

export default (portico) => portico.panel({ title: greeting, text: 'The answer is ' + answer });

export const parts = async () => {
  const at = (name) => new URL(name, import.meta.url).href;
  const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', crossOrigin: 'anonymous', href: at('./style.css') });
  await new Promise((resolve, reject) => {
    [style.onload, style.onerror] = [resolve, reject];
    document.head.append(style);
  });
  const picture = Object.assign(new Image(), { crossOrigin: 'anonymous', src: at('./lib/picture.png') });
  await picture.decode();
  const { instance } = await WebAssembly.instantiateStreaming(fetch(at('./lib/number.wasm')));
  return {
    greeting, answer, fetched: (await (await fetch(at('./data.json'))).json()).sugar,
    imported: (await import('./data.json', { with: { type: 'json' } })).default.sugar,
    wasm: instance.exports.f(), width: picture.naturalWidth,
    style: getComputedStyle(document.body).getPropertyValue('--kettle'),
  };
};
`,
	"lib/greeting.mjs": "import { name } from '../name.mjs';\nexport const greeting = 'Hello from ' + name;\n",
	"name.mjs":         "export const name = 'a neighbour';\n",
	"lib/answer.js":    "export const answer = 42;\n",
	"lib/number.wasm":  "\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7f\x03\x02\x01\x00\x07\x05\x01\x01f\x00\x00\x0a\x06\x01\x04\x00\x41\x2a\x0b",
	"lib/picture.png":  string(newPicture()),
	"data.json":        `{"sugar":"two"}`,
	"style.css":        `body { --kettle: blue; }`,
}

// visitFolder imports the module of a plugin folder at its public address, and visits a space that
// runs it.
func (s site) visitFolder(t *testing.T, further map[string]any) {
	space := s.newSpace("Tea", "infinite", "")
	puts := []map[string]string{{
		"path": "space/entities/tea.json", "content": `{"type":"UserModelEntity","data":{"glbUrl":"plugins/tea/","position":[0,1.5,0]}}`,
	}}
	for name, content := range folderPlugin {
		puts = append(puts, map[string]string{
			"path": "space/plugins/tea/" + name, "encoding": "base64", "content": base64.StdEncoding.EncodeToString([]byte(content)),
		})
	}
	s.Call("POST", "/v1/spaces/"+space+"/changeset", map[string]any{"puts": puts}).Want(200, nil)
	check(t, s.GraphQL(`mutation($id: ID!) { updateSpace(input: {spaceId: $id, pluginsForVisitors: true}) { space { id } } }`,
		map[string]any{"id": space}, &struct{}{}))
	var shown struct {
		Data struct {
			Address string `json:"glbUrl"`
		} `json:"entity_data"`
	}
	s.Call("GET", "/v1/spaces/"+space+"/entities/tea", nil).Want(200, &shown)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!DOCTYPE html><title>Another viewer</title>")
	}))
	t.Cleanup(host.Close)
	given := map[string]any{"space": space, "module": shown.Data.Address, "host": host.URL}
	maps.Copy(given, further)
	s.visit(t, "folder.mjs", given)
}
