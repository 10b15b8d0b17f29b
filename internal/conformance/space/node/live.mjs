// The page shows immediately what the owner changes elsewhere, and the end of a space.

import assert from 'node:assert/strict';
import { alike, awaitColour, call, colours, eventually, finish, given, goTo, open, view, visitor } from './browser.mjs';
import { owner } from './owner.mjs';

const stranger = await visitor();
const { page } = stranger;
const middle = [0.5, 0.45];
const magenta = [255, 0, 255];
const entities = `/v1/spaces/${given.space}/entities`;
const fly = (x) => goTo(page, view('fly', [x, 1.5, 1], 0));
const isThere = async () => alike((await colours(page, [middle]))[0], magenta);

await open(page, given.space, view('fly', [2, 1.5, 1], 0));
await awaitColour(page, middle, magenta);

await call('PUT', `${entities}/cube`, { entity_data: { position: [-2, 1.5, -2] } });
await eventually('the cube is away', isThere, (there) => !there);
await fly(-2);
await awaitColour(page, middle, magenta);

// The page does not ask again: the change comes by the subscription.
await call('POST', entities, { entity_id: 'other', resource_key: given.cube, entity_data: { position: [2, 1.5, -2] } });
await fly(2);
await awaitColour(page, middle, magenta);
await call('DELETE', `${entities}/other`);
await eventually('the other cube is away', isThere, (there) => !there);

await call('POST', '/v1/spaces/update-privacy', { spaceId: given.space, roomPrivacy: 'Private' });
// The server's page replaces the scene.
const closed = async (title) => {
  await page.getByRole('heading', { name: title }).waitFor();
  assert.ok(stranger.problems.every((problem) => problem.includes('403')), stranger.problems.join());
  stranger.problems.length = 0;
};
await closed('This space is private');
assert.equal(await page.locator('#scene canvas').count(), 0);

// Its owner, signed in, still sees it with everything in it.
const me = await owner({ viewport: { width: 480, height: 480 } });
await open(me.page, given.space, view('fly', [-2, 1.5, 1], 0));
await awaitColour(me.page, middle, magenta);
await me.context.close();

// The operator takes the space down while somebody is in it.
await call('POST', '/v1/spaces/update-privacy', { spaceId: given.space, roomPrivacy: 'Public' });
await open(page, given.space, view('fly', [-2, 1.5, 1], 0));
await awaitColour(page, middle, magenta);
await fetch(given.takedown, { method: 'POST' });
await closed('This space was taken down');
assert.equal(await page.locator('#scene canvas').count(), 0);

// The first stream of a page has an error as its event, and stays open.
const unlucky = await visitor();
await unlucky.page.addInitScript(() => {
  const send = window.fetch;
  window.fetch = (address, init) => {
    if (init?.headers?.Accept !== 'text/event-stream') return send(address, init);
    window.fetch = send;
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(new TextEncoder().encode('event: next\ndata: {"errors":[{"message":"broken"}]}\n\n')),
      cancel: () => { window.closedStream = true; },
    });
    return Promise.resolve(new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }));
  };
});
await open(unlucky.page, given.doomed);
await unlucky.page.waitForFunction(() => window.closedStream);
await unlucky.context.close();

await open(page, given.doomed);
await call('DELETE', `/v1/spaces/${given.doomed}`);
await page.getByRole('heading', { name: 'This space was deleted' }).waitFor();
await finish(stranger, me, unlucky);
