// A server of uploads for tests of the editor: it receives bytes, and responds to the operations of an upload.

import { stream } from '../server/server.testkit.js';

globalThis.location = { href: 'https://portico.example/space/hall' };

/**
 * Responds to the requests that send bytes. It returns how many bytes arrive, the status, which is 0
 * for a lost connection, and perhaps headers and a body; nothing if no response comes.
 */
export const connection = { receive: ({ size }) => ({ arrived: size, status: 200 }) };

globalThis.XMLHttpRequest = class {
  upload = {};
  headers = {};
  open(_method, url) {
    this.url = url;
  }
  setRequestHeader(name, value) {
    this.headers[name] = value;
  }
  getResponseHeader(name) {
    return this.response.headers?.[name] ?? null;
  }
  abort() {}
  send(body) {
    const response = connection.receive({ url: this.url, offset: Number(this.headers['Upload-Offset'] ?? 0), size: body.size });
    if (!response) return;
    this.response = response;
    const { arrived, status } = response;
    [this.status, this.responseText] = [status, response.body ?? ''];
    this.upload.onprogress({ loaded: arrived });
    if (status) this.onload();
    else this.onerror();
  }
};

export const file = { id: 'file', resourceKey: 'hall.zip' };
export const created = () =>
  Response.json({ data: { createUpload: { upload: { url: 'https://portico.example/u', method: 'PUT', headers: [] } } } });
export const confirmed = (confirmation) => Response.json({ data: { completeUpload: { confirmation } } });
export const started = () => confirmed({ __typename: 'JobStarted', job: { id: 'job' } });
export const completed = () => stream({ job: { id: 'job', status: 'COMPLETED', progress: 100, message: '', error: null, file } });
