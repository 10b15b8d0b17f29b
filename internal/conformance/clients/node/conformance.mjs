// The conformance tool of MCP on all its protocol versions, and the inspector. Both need Node 22.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run } from './scenarios.mjs';
import { idle } from './server.mjs';

// refused are the checks that fail on purpose, by the reason. The tool expects a server with
// every optional feature, and with its own tools.
const refused = {
  'The server declares tools only. Methods of other features are unknown methods.': [
    'completion-complete', 'logging-set-level',
    'prompts-get-embedded-resource', 'prompts-get-simple', 'prompts-get-with-args', 'prompts-get-with-image', 'prompts-list',
    'resources-list', 'resources-read-binary', 'resources-read-text', 'resources-subscribe', 'resources-templates-read',
    'resources-unsubscribe', 'sep-2164-data-uri', 'sep-2164-error-code', 'sep-2322-non-tool-incomplete',
    'sep-2549-prompts-list-caching-hints', 'sep-2549-resources-list-caching-hints', 'sep-2549-resources-templates-list-caching-hints',
    'tools-call-with-logging',
  ],
  'The tool of the check belongs to the fixture of the conformance tool.': [
    'elicitation-sep1034-general', 'elicitation-sep1330-general', 'json-schema-2020-12-tool-found',
    'sep-2243-server-decode-base64', 'sep-2243-server-no-xmcp-tool', 'sep-2243-server-reject-invalid-param-chars',
    'sep-2243-server-reject-param-mismatch', 'sep-2243-server-validate-param-match',
    'sep-2322-elicitation-incomplete', 'sep-2322-ignore-unexpected-params', 'sep-2322-list-roots-incomplete',
    'sep-2322-missing-response-rerequests', 'sep-2322-multi-round-r1', 'sep-2322-multiple-inputs-incomplete',
    'sep-2322-reject-tampered-state', 'sep-2322-request-state-incomplete', 'sep-2322-respect-client-capabilities',
    'sep-2322-result-type-included', 'sep-2322-sampling-incomplete',
    'sep-2575-http-server-no-independent-requests-on-stream', 'sep-2575-missing-capability-http-400',
    'sep-2575-server-no-log-without-loglevel', 'sep-2575-server-rejects-undeclared-capability',
    'tools-call-audio', 'tools-call-elicitation', 'tools-call-embedded-resource', 'tools-call-error', 'tools-call-image',
    'tools-call-mixed-content', 'tools-call-sampling', 'tools-call-simple-text', 'tools-call-with-progress',
  ],
  'A request needs a key, which no browser adds, so Host and Origin are not compared.': ['localhost-host-rebinding-rejected'],
  'There are no sessions: streams are counted without one.': ['server-sse-multiple-streams-session', 'server-sse-polling-session'],
};
const refusedChecks = Object.values(refused).flat();

// passed are checks that must have run, by the version of the protocol. No check of the first
// version is for a server without sessions.
const passed = {
  '2025-03-26': [],
  '2025-06-18': ['server-initialize', 'ping', 'tools-list', 'wire-schema-valid'],
  '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'localhost-host-valid-accepted', 'wire-schema-valid'],
  '2026-07-28': ['sep-2575-http-server-header-mismatch-400', 'tools-list', 'sep-2549-tools-list-caching-hints', 'wire-schema-valid'],
};

// execute runs a program of Node to its end.
function execute(script, parameters, env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join('node_modules', script), ...parameters], {
      stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env },
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (text) => { output[name] += text; });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...output }));
  });
}

// withKey is a server that adds the key, because the conformance tool has no option for it.
const withKey = createServer((request, response) => {
  const headers = { ...request.headers, authorization: idle.authorization };
  const forwarded = send(idle.url + request.url, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  forwarded.on('error', () => response.destroy());
  response.on('close', () => forwarded.destroy());
  request.pipe(forwarded);
});
await new Promise((resolve) => { withKey.listen(0, '127.0.0.1', resolve); });

async function conform(version) {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  try {
    const address = `http://127.0.0.1:${withKey.address().port}/v1/mcp`;
    const { stdout, stderr } = await execute('@modelcontextprotocol/conformance/dist/index.js', [
      'server', '--url', address, '--suite', 'all', '--spec-version', version, '--output-dir', folder,
    ]);
    const checks = [];
    for (const scenario of await readdir(folder)) checks.push(...JSON.parse(await readFile(join(folder, scenario, 'checks.json'))));
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const unexpected = failed.filter(({ id }) => !refusedChecks.includes(id));
    assert.deepEqual(unexpected.map(({ id, errorMessage }) => `${id}: ${errorMessage}`), [], stdout + stderr);
    const succeeded = checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);
    assert.deepEqual(passed[version].filter((id) => !succeeded.includes(id)), [], `checks that did not pass, of ${succeeded}`);
    return failed.map(({ id }) => id);
  } finally {
    await rm(folder, { recursive: true });
  }
}

// inspect runs the inspector with a protocol, and returns the JSON that it prints.
async function inspect(era, ...parameters) {
  const home = await mkdtemp(join(tmpdir(), 'inspector-')); // it writes to the home folder
  try {
    const { code, stdout, stderr } = await execute('@modelcontextprotocol/inspector/clients/launcher/build/index.js', [
      '--cli', `${idle.url}/v1/mcp`, '--transport', 'http',
      '--header', `Authorization: ${idle.authorization}`, '--protocol-era', era, ...parameters,
    ], { HOME: home });
    assert.equal(code, 0, stdout + stderr);
    return JSON.parse(stdout);
  } finally {
    await rm(home, { recursive: true });
  }
}

const seen = [];
await run({
  ...Object.fromEntries(Object.keys(passed).map((version) => (
    [`conforms to ${version}`, async () => { seen.push(...await conform(version)); }]))),

  ...Object.fromEntries(['legacy', 'modern'].map((era) => [`is inspected: ${era}`, async () => {
    const { tools } = await inspect(era, '--method', 'tools/list', '--strict'); // fails for a schema with an error
    assert.ok(tools.length > 20, `${tools.length} tools`);
    const call = (name, ...more) => inspect(era, '--method', 'tools/call', '--tool-name', name, ...more);
    const { structuredContent: space } = await call('create_space', '--tool-arg', `title=Mill ${era}`);
    const { structuredContent: list } = await call('list_spaces', '--tool-args-json', `{"search":"mill ${era}","limit":1}`);
    assert.deepEqual(list.spaces.map(({ id }) => id), [space.spaceId]);
  }])),
});
await run({
  'is refused nothing that is listed and works': async () => {
    assert.deepEqual(refusedChecks.filter((id) => !seen.includes(id)), []);
  },
});
process.exit();
