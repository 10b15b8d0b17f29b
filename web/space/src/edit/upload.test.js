// The editor of a space uploads a file, through faults of the server.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setImmediate as settled } from 'node:timers/promises';
import { onTestFinished, test } from 'vitest';
import { countWaits, proxyRefusal, refusal, serve, stream } from '../server/server.testkit.js';
import { completed, confirmed, connection, created, file, started } from './uploads.testkit.js';

const { describeFileProblem } = await import('./problem.ts');
const { upload } = await import('./upload.ts');
const { ServerError } = await import('../server/graphql.ts');
const { Refused } = await import('portico-upload/send.ts');
const waits = countWaits();

test('an upload waits for its job while the server has a fault', async () => {
  const streams = [refusal('INTERNAL'), refusal('RATE_LIMITED'), completed()];
  serve((name) => ({ CreateUpload: created, CompleteUpload: started, Job: () => streams.shift() })[name]());
  assert.deepEqual(await upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal), file);
});

test('a model is uploaded with its media type, which browsers do not know', async () => {
  let input;
  serve((name, variables) => {
    if (name === 'CreateUpload') input = variables.in;
    return { CreateUpload: created, CompleteUpload: () => confirmed({ __typename: 'FileStored', file }) }[name]();
  });
  await upload(new File(['bytes'], 'chair.GLB'), () => {}, new AbortController().signal);
  assert.equal(input.contentType, 'model/gltf-binary');
});

test('an upload waits longer and longer between streams that end before its job', async () => {
  const processing = () => stream({ job: { id: 'job', status: 'PROCESSING', progress: 40, message: '', error: null, file: null } });
  const streams = [stream(), processing(), refusal('INTERNAL'), processing(), completed()];
  serve((name) => ({ CreateUpload: created, CompleteUpload: started, Job: () => streams.shift() })[name]());
  waits.length = 0;
  assert.deepEqual(await upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal), file);
  assert.deepEqual(waits, [1000, 2000, 4000, 8000]);
});

test('an upload fails if the server refuses to show its job, and its removal cancels nothing', async () => {
  const operations = [];
  const removal = new AbortController();
  serve((name) => {
    operations.push(name);
    return { CreateUpload: created, CompleteUpload: started, Job: () => refusal('NOT_FOUND') }[name]();
  });
  await assert.rejects(
    upload(new File(['bytes'], 'hall.zip'), () => {}, removal.signal),
    { code: 'NOT_FOUND' },
  );
  removal.abort();
  assert.deepEqual(operations, ['CreateUpload', 'CompleteUpload', 'Job']);
});

test('an upload is confirmed again after a fault of the server and a lost connection', async () => {
  const responses = [
    refusal('INTERNAL'),
    new Response('Bad gateway', { status: 502 }),
    null,
    confirmed({ __typename: 'FileStored', file }),
  ];
  const operations = [];
  serve((name) => {
    operations.push(name);
    const response = name === 'CreateUpload' ? created() : responses.shift();
    if (!response) throw new TypeError('Failed to fetch');
    return response;
  });
  waits.length = 0;
  assert.deepEqual(await upload(new File(['bytes'], 'hall.glb'), () => {}, new AbortController().signal), file);
  assert.deepEqual(operations, ['CreateUpload', ...Array(4).fill('CompleteUpload')]);
  assert.deepEqual(waits, [1000, 2000, 4000]);
});

test('an upload whose confirmation is refused frees its reservation', async () => {
  const operations = [];
  serve((name) => {
    operations.push(name);
    return { CreateUpload: created, CompleteUpload: () => refusal('QUOTA_EXCEEDED'), AbandonUpload: () => Response.json({ data: {} }) }[
      name
    ]();
  });
  await assert.rejects(
    upload(new File(['bytes'], 'hall.glb'), () => {}, new AbortController().signal),
    { code: 'QUOTA_EXCEEDED' },
  );
  assert.deepEqual(operations, ['CreateUpload', 'CompleteUpload', 'AbandonUpload']);
});

test('an upload continues after a proxy has refused its confirmation once and its job for minutes', async () => {
  const operations = [];
  const responses = {
    CompleteUpload: [proxyRefusal(404), started()],
    Job: [
      ...Array(9)
        .fill()
        .map(() => proxyRefusal(403)),
      completed(),
    ],
  };
  serve((name) => {
    operations.push(name);
    return name === 'CreateUpload' ? created() : responses[name].shift();
  });
  assert.deepEqual(await upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal), file);
  assert.deepEqual(operations, ['CreateUpload', 'CompleteUpload', 'CompleteUpload', ...Array(10).fill('Job')]);
});

test('an upload whose confirmation a proxy refuses for a minute fails, and frees its reservation', async () => {
  const operations = [];
  serve((name) => {
    operations.push(name);
    return { CreateUpload: created, CompleteUpload: () => proxyRefusal(403), AbandonUpload: () => Response.json({ data: {} }) }[name]();
  });
  waits.length = 0;
  await assert.rejects(
    upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal),
    { status: 403 },
  );
  assert.deepEqual(operations, ['CreateUpload', ...Array(7).fill('CompleteUpload'), 'AbandonUpload']);
  assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000]);
});

/** Uploads a file of 40 MB, whose connection is lost as often as the function says. It returns the progress, the operations, the requests that sent bytes, and the signal of the upload. */
async function uploadLarge(isLost) {
  const [progress, operations, requests] = [[], [], []];
  const { signal } = new AbortController();
  let offset = 0;
  connection.receive = ({ url, offset: from, size }) => {
    requests.push([url, from, size]);
    const lost = isLost(requests.length);
    offset += lost ? 10 << 20 : size;
    return { arrived: lost ? 10 << 20 : size, status: lost ? 0 : 204 };
  };
  serve((name, variables) => {
    operations.push(name);
    if (name === 'HEAD') return new Response(null, { headers: { 'Upload-Offset': String(offset), 'Upload-Length': String(40 << 20) } });
    assert.deepEqual([variables.in.resumable, variables.in.parts], name === 'CreateUpload' ? [true, 4] : [undefined, undefined]);
    return { CreateUpload: created, CompleteUpload: () => confirmed({ __typename: 'FileStored', file }) }[name]();
  });
  const report = ({ step, share }) => {
    if (progress.at(-1) !== `${step} ${share}`) progress.push(`${step} ${share}`);
  };
  assert.deepEqual(await upload(new File([new Uint8Array(40 << 20)], 'hall.spz'), report, signal), file);
  return { progress, operations, requests, signal };
}

test('a large file continues after a lost connection', async () => {
  waits.length = 0;
  const { progress, operations, requests } = await uploadLarge((request) => request < 3);
  assert.deepEqual(requests, [
    ['/u', 0, 40 << 20],
    ['/u', 10 << 20, 30 << 20],
    ['/u', 20 << 20, 20 << 20],
  ]);
  assert.deepEqual(progress, [
    'sending 0',
    'sending 0.25',
    'waiting 0.25',
    'sending 0.25',
    'sending 0.5',
    'waiting 0.5',
    'sending 0.5',
    'sending 1',
  ]);
  assert.deepEqual(operations, ['CreateUpload', 'HEAD', 'HEAD', 'HEAD', 'CompleteUpload']);
  assert.deepEqual(waits, [1000, 2000]);
});

/** Uploads a small file, whose bytes get these responses. It returns the progress and the operations with their inputs. */
async function uploadSmall(...responses) {
  const [progress, operations] = [[], []];
  connection.receive = ({ url, size }) => {
    operations.push(['PUT', url]);
    return responses.shift() ?? { arrived: size, status: 200 };
  };
  let reservations = 0;
  serve((name, { in: input }) => {
    if (name === 'CreateUpload')
      return Response.json({ data: { createUpload: { upload: { url: `/u${++reservations}`, method: 'PUT', headers: [] } } } });
    operations.push([name, input.fileUrl]);
    return name === 'CompleteUpload' ? confirmed({ __typename: 'FileStored', file }) : Response.json({ data: {} });
  });
  waits.length = 0;
  assert.deepEqual(
    await upload(new File(['bytes'], 'hall.glb'), ({ step, share }) => progress.push(`${step} ${share}`), new AbortController().signal),
    file,
  );
  connection.receive = ({ size }) => ({ arrived: size, status: 200 });
  return { progress, operations };
}

test('a small file is sent again after a lost connection, after its reservation is freed', async () => {
  const { progress, operations } = await uploadSmall({ arrived: 2, status: 0 }, { arrived: 4, status: 502 });
  assert.deepEqual(operations, [
    ['PUT', '/u1'],
    ['AbandonUpload', '/u1'],
    ['PUT', '/u2'],
    ['AbandonUpload', '/u2'],
    ['PUT', '/u3'],
    ['CompleteUpload', '/u3'],
  ]);
  assert.deepEqual(progress, ['sending 0.4', 'waiting 0.4', 'sending 0.8', 'waiting 0.8', 'sending 1']);
  assert.deepEqual(waits, [1000, 2000]);
});

for (const [reason, status, attempts] of [
  ['its connection was lost', 0, 8],
  ['the bucket had a fault', 503, 64],
]) {
  test(`a small file fails after ${reason} ${attempts} times, and frees its storage`, async () => {
    const operations = [];
    const { receive } = connection;
    onTestFinished(() => {
      connection.receive = receive;
    });
    connection.receive = ({ size }) => {
      operations.push('PUT');
      return operations.length < 300 ? { arrived: 0, status } : { arrived: size, status: 200 }; // so that a test that fails ends
    };
    serve((name) => {
      operations.push(name);
      return {
        CreateUpload: created,
        CompleteUpload: () => confirmed({ __typename: 'FileStored', file }),
        AbandonUpload: () => Response.json({ data: {} }),
      }[name]();
    });
    waits.length = 0;
    const problem = await upload(new File(['bytes'], 'hall.glb'), () => {}, new AbortController().signal).catch((error) => error);
    assert.equal(
      describeFileProblem(problem, (key) => key),
      'interrupted',
    );
    assert.deepEqual(operations, Array(attempts).fill(['CreateUpload', 'PUT', 'AbandonUpload']).flat());
    assert.deepEqual(waits, [1000, 2000, 4000, 8000, 16_000, ...Array(attempts - 6).fill(30_000)]);
  });
}

test('a file is sent again when the server asks for it', async () => {
  const tooMany = { arrived: 0, status: 429, headers: { 'Retry-After': '7' } };
  await uploadSmall(tooMany, { arrived: 2, status: 0 }, tooMany);
  assert.deepEqual(waits, [7000, 2000, 7000]);
});

test('an upload waits as long as the rate limit of each operation asks', async () => {
  const limited = () => refusal('RATE_LIMITED', { retryAfterSeconds: 7 });
  const { receive } = connection;
  onTestFinished(() => {
    connection.receive = receive;
  });
  const transfers = [
    { arrived: 2, status: 0 },
    { arrived: 5, status: 200 },
  ];
  connection.receive = () => transfers.shift();
  const responses = {
    CreateUpload: [created(), limited(), created()],
    AbandonUpload: [Response.json({ data: {} })],
    CompleteUpload: [limited(), started()],
    Job: [limited(), completed()],
  };
  serve((name) => responses[name].shift());
  waits.length = 0;
  assert.deepEqual(await upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal), file);
  assert.deepEqual(waits, [1000, 7000, 7000, 7000]);
});

test('a file is sent again after the server or the bucket has ended a request that stalled', async () => {
  const { operations } = await uploadSmall(
    { arrived: 2, status: 408 },
    { arrived: 2, status: 400, body: '<Error><Code>RequestTimeout</Code></Error>' },
  );
  assert.deepEqual(
    operations.filter(([name]) => name === 'PUT'),
    [
      ['PUT', '/u1'],
      ['PUT', '/u2'],
      ['PUT', '/u3'],
    ],
  );
});

test('an upload that was tried again no longer listens to its signal', async () => {
  const { signal } = await uploadLarge((request) => request < 3);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a large file that is canceled while it waits frees its reservation', async () => {
  const canceled = new AbortController();
  const operations = [];
  connection.receive = () => ({ arrived: 0, status: 0 });
  serve((name) => {
    operations.push(name);
    if (name === 'HEAD') return new Response(null, { headers: { 'Upload-Offset': '0', 'Upload-Length': String(40 << 20) } });
    return name === 'CreateUpload' ? created() : Response.json({ data: {} });
  });
  const report = ({ step }) => {
    if (step === 'waiting') canceled.abort(new DOMException('canceled', 'AbortError'));
  };
  await assert.rejects(upload(new File([new Uint8Array(40 << 20)], 'hall.spz'), report, canceled.signal), { name: 'AbortError' });
  assert.deepEqual(operations, ['CreateUpload', 'HEAD', 'AbandonUpload']);
});

test('a large file that is canceled while another one is sent frees its reservation at once', async () => {
  const [sending, canceled] = [new AbortController(), new AbortController()];
  const operations = [];
  const requests = [];
  connection.receive = ({ url }) => void requests.push(url);
  serve((name, path) => {
    operations.push(name);
    if (name === 'HEAD')
      return new Response(null, {
        headers: path === '/u' ? { 'Upload-Concat': 'final;/a /b /c /d' } : { 'Upload-Offset': '0', 'Upload-Length': String(10 << 20) },
      });
    return name === 'CreateUpload' ? created() : Response.json({ data: {} });
  });
  /** Starts an upload, and returns it when its parts are sent or wait. */
  const start = async (signal) => {
    let uploading;
    await new Promise((resolve) => {
      uploading = upload(new File([new Uint8Array(40 << 20)], 'hall.spz'), resolve, signal);
    });
    uploading.catch(() => {}); // the test awaits it later
    return { uploading };
  };
  const first = await start(sending.signal);
  const second = await start(canceled.signal);
  operations.length = 0;
  canceled.abort(new DOMException('canceled', 'AbortError'));
  await settled();
  const afterwards = [...operations];
  sending.abort(new DOMException('canceled', 'AbortError'));
  for (const { uploading } of [first, second]) await assert.rejects(uploading, { name: 'AbortError' });
  assert.deepEqual(afterwards, ['AbandonUpload']);
  assert.deepEqual(requests, ['/a', '/b', '/c', '/d']); // of the first one
  connection.receive = ({ size }) => ({ arrived: size, status: 200 });
});

test('an upload fails with the sentence of a server whose disk is full', async () => {
  serve((name) => ({ CreateUpload: created, AbandonUpload: () => Response.json({ data: {} }) })[name]());
  connection.receive = () => ({
    arrived: 0,
    status: 507,
    body: '{"status":"error","message":"The server has no storage left for this file"}',
  });
  await assert.rejects(
    upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal),
    { message: 'The server has no storage left for this file' },
  );
  connection.receive = ({ size }) => ({ arrived: size, status: 200 });
});

for (const [language, want] of [
  ['en', 'The storage refused the file (status 403). Add it again.'],
  ['de', 'Der Speicher hat die Datei abgelehnt (Status 403). Fügen Sie sie noch einmal hinzu.'],
]) {
  test(`the refusal of a bucket is described in the language ${language}`, async () => {
    const texts = JSON.parse(await readFile(`space/src/edit/messages/${language}.json`, 'utf8'));
    const messages = (key, { status } = {}) => texts[key].replace('{status}', status);
    serve((name) => ({ CreateUpload: created, AbandonUpload: () => Response.json({ data: {} }) })[name]());
    connection.receive = () => ({ arrived: 0, status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    const problem = await upload(new File(['bytes'], 'hall.zip'), () => {}, new AbortController().signal).catch((error) => error);
    assert.equal(describeFileProblem(problem, messages), want);
  });
}

test('a file of another format says what can be added', () => {
  const refused = new ServerError('fileName must end in one of .zip', { code: 'INVALID', reason: 'UNSUPPORTED_FORMAT' });
  assert.equal(
    describeFileProblem(refused, (key) => key),
    'unsupportedFormat',
  );
});

test('only an account without storage has to delete files', () => {
  const described = (extensions) =>
    describeFileProblem(new ServerError('No room', { code: 'QUOTA_EXCEEDED', ...extensions }), (key) => key);
  assert.equal(described({ reason: 'STORAGE_FULL' }), 'storageFull');
  assert.equal(described({}), 'serverFull');
  assert.equal(
    describeFileProblem(new Refused(507, 'No room'), (key) => key),
    'serverFull',
  );
});

// These are the last, because the page remembers what a proxy has refused.

/** Uploads a file through a proxy that accepts requests up to a limit. It returns the operations, and the sizes of what the proxy accepted and refused. */
async function uploadThroughProxy(size, limit, isHidden = false) {
  const operations = [],
    accepted = [],
    refused = [];
  let offset = 0;
  serve((name, variables) => {
    operations.push(name);
    if (name === 'HEAD') return new Response(null, { headers: { 'Upload-Offset': String(offset), 'Upload-Length': String(size) } });
    if (name === 'CreateUpload') operations.push(variables.in.resumable ? 'in pieces' : 'whole');
    return {
      CreateUpload: created,
      CompleteUpload: () => confirmed({ __typename: 'FileStored', file }),
      AbandonUpload: () => Response.json({ data: {} }),
    }[name]();
  });
  const receive = connection.receive;
  connection.receive = (request) => {
    const isTooLarge = request.size > limit;
    (isTooLarge ? refused : accepted).push(request.size);
    // A browser hides a response without the headers of CORS.
    if (isTooLarge) return { arrived: 0, status: isHidden ? 0 : 413, body: '<html>413 Request Entity Too Large</html>' };
    assert.equal(request.offset, offset);
    offset += request.size;
    return { arrived: request.size, status: 204 };
  };
  try {
    await upload(new File([new Uint8Array(size)], 'hall.glb'), () => {}, new AbortController().signal);
  } finally {
    connection.receive = receive;
  }
  return { operations, accepted, refused };
}

test('a large file is sent in requests that proxies accept, and in smaller ones after a refusal', async () => {
  const { accepted, refused } = await uploadThroughProxy(150e6, 100e6);
  assert.deepEqual([accepted, refused], [[64e6, 64e6, 22e6], []]);
  const limited = await uploadThroughProxy(70e6, 10e6);
  assert.deepEqual(
    [limited.accepted, limited.refused],
    [
      [...Array(8).fill(8e6), 6e6],
      [64e6, 32e6, 16e6],
    ],
  );
  const next = await uploadThroughProxy(40e6, 10e6);
  assert.deepEqual([next.accepted, next.refused], [Array(5).fill(8e6), []]); // the page has learned
});

test('a small file is sent in pieces if a proxy refuses the whole', async () => {
  const { operations, accepted, refused } = await uploadThroughProxy(3e6, 1024 * 1024);
  assert.deepEqual(operations, [
    'CreateUpload',
    'whole',
    'AbandonUpload',
    'CreateUpload',
    'in pieces',
    'HEAD',
    'HEAD',
    'HEAD',
    'CompleteUpload',
  ]);
  assert.deepEqual(
    [accepted, refused],
    [
      [1e6, 1e6, 1e6],
      [3e6, 3e6, 1.5e6],
    ],
  );
});

test('a small file is sent in pieces if the refusal of another origin is hidden', async () => {
  const { accepted, refused } = await uploadThroughProxy(2e6, 1024 * 1024, true);
  assert.deepEqual([accepted, refused], [[1e6, 1e6], [2e6]]); // the page has learned the size from the tests before
});

test('a proxy that accepts no request is named', async () => {
  const messages = (key) => key;
  await assert.rejects(uploadThroughProxy(3e6, 10), (problem) => describeFileProblem(problem, messages) === 'proxyLimit');
});
