// The playground in Chromium: somebody who tries GraphQL there.

import assert from 'node:assert/strict';

import { holder } from './people.mjs';
import { cancelJob, closed, idle, startJob } from './server.mjs';
import { open } from './signin.mjs';

// Playground is the page in a tab.
class Playground {
  constructor(page) {
    this.page = page;
    this.headers = page.getByRole('region', { name: 'Headers' });
    this.result = page.getByRole('region', { name: 'Result Window' });
  }

  // shows waits until the answer has the text.
  shows(text) {
    return this.result.getByText(text).first().waitFor();
  }

  // paste puts text in place of what an editor has.
  async paste(editor, text) {
    await editor.click();
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.insertText(text);
  }

  // send sends a document, with a key if there is one.
  async send(document, key) {
    if (key) await this.paste(this.headers, JSON.stringify({ Authorization: `Bearer ${key}` }));
    await this.paste(this.page.getByRole('region', { name: 'Query Editor' }), document);
    // GraphiQL looks at what was typed, and keeps it, when nothing more comes for a moment.
    await this.page.waitForFunction((text) => localStorage.getItem('portico:graphiql:query') === text, document);
    await this.page.keyboard.press('Control+Enter');
  }
}

// scenarios returns what somebody does there.
export function scenarios(browser) {
  // visit calls a function with the playground of a server. Nothing may be said on the
  // console, where violations of the policy are told of, and no other host be asked.
  const visit = async (server, use, options = {}) => {
    const { context, page, said } = await open(browser, options);
    const hosts = new Set();
    const note = (thing) => hosts.add(new URL(thing.url()).host);
    context.on('request', note);
    page.on('websocket', note);
    try {
      const response = await page.goto(`${server.url}/playground`);
      assert.equal(response.status(), 200);
      assert.equal(await page.title(), 'GraphQL – Portico');
      await use(new Playground(page), page);
      assert.deepEqual(said, [], 'the console');
      assert.deepEqual([...hosts], [new URL(server.url).host], 'the hosts that were asked');
    } finally {
      await context.close();
    }
  };

  return {
    'asks in the playground, which forgets the key': async () => {
      const { person, server } = await holder(idle);
      await visit(server, async (playground, page) => {
        await playground.send('{ viewer { email } }', server.key);
        await playground.shows(`"${person.email}"`);
        const kept = () => page.evaluate(() => JSON.stringify(localStorage));
        assert.match(await kept(), /viewer/);
        assert.doesNotMatch(await kept(), new RegExp(server.key));
        await page.reload();
        await page.getByRole('button', { name: 'Show History' }).click();
        await page.getByRole('button', { name: 'Set active' }).click();
        await page.getByRole('button', { name: 'Execute query' }).click();
        await playground.shows('"unauthenticated"');
      });
    },

    'follows jobs in the playground': async () => {
      const { server } = await holder(idle);
      const job = await startJob(server);
      await visit(server, async (playground, page) => {
        await playground.send('subscription { jobs { id status error } }', server.key);
        await playground.shows('"QUEUED"');
        await cancelJob(server, job);
        await playground.shows('"FAILED"');
        await page.getByRole('button', { name: 'Stop query' }).click();
        await page.getByRole('button', { name: 'Execute query' }).waitFor();
      });
    },

    'reads the documentation and opens menus and dialogs in the playground': () => visit(idle, async (playground, page) => {
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.getByRole('link', { name: 'Subscription', exact: true }).first().click();
      await page.getByText('A job of the caller').waitFor();
      await page.getByRole('button', { name: 'Open settings dialog' }).click();
      await page.getByRole('dialog').getByText('Theme', { exact: true }).waitFor();
      assert.equal(await page.getByText('Persist headers').count(), 0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Execute query' }).click();
      await page.getByRole('menuitem', { name: 'Viewer' }).click();
      await playground.shows('"unauthenticated"');
    }),

    'has a playground where introspection is off': () => visit(closed, async (playground, page) => {
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.getByText('No GraphQL schema available').waitFor();
      await playground.send('{ __typename }');
      await playground.shows('"Query"');
    }),

    'has a playground in a narrow window': () => visit(idle, async (playground, page) => {
      await playground.send('{ __typename }');
      await playground.shows('"Query"');
      const { x, width, height } = await playground.result.boundingBox();
      assert.ok(width > 200 && height > 100 && x + width <= 360, `the answer is at ${x} and ${width} by ${height}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    }, { viewport: { width: 360, height: 640 } }),
  };
}
