// standardwebhooks, which verifies what the server sends to a webhook.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

import { run } from './scenarios.mjs';
import { ask, working } from './server.mjs';

// The receiver passes on each delivery as { body, headers }.
const receiver = createServer(async (request, response) => {
  receiver.emit('delivery', { body: await text(request), headers: request.headers });
  response.end();
}).listen(0, '127.0.0.1');
await once(receiver, 'listening');

async function deliver(id) {
  const arrived = once(receiver, 'delivery');
  await ask(working, 'mutation($id: ID!) { testWebhook(input: {webhookId: $id}) { delivery { id } } }', { id });
  return (await arrived)[0];
}

await run({
  'accepts a delivery and refuses changed ones': async () => {
    const { createWebhook: { secret, webhook: { id } } } = await ask(working,
      'mutation($url: String!) { createWebhook(input: {url: $url, events: [JOB_ENDED]}) { secret webhook { id } } }',
      { url: `http://127.0.0.1:${receiver.address().port}/` });
    const { body, headers } = await deliver(id);
    assert.equal(new Webhook(secret).verify(body, headers).type, 'webhook.test');
    for (const [changed, with_] of [[`${body} `, {}], [body, { 'webhook-id': 'other' }], [body, { 'webhook-timestamp': `${headers['webhook-timestamp'] - 1}` }]]) {
      assert.throws(() => new Webhook(secret).verify(changed, { ...headers, ...with_ }), { message: 'No matching signature found' });
    }

    const { rotateWebhookSecret: { secret: newer } } = await ask(working, 'mutation($id: ID!) { rotateWebhookSecret(input: {webhookId: $id}) { secret } }', { id });
    const second = await deliver(id);
    for (const each of [secret, newer]) new Webhook(each).verify(second.body, second.headers);
  },
});
receiver.close();
receiver.closeAllConnections();
