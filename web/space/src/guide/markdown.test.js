// Markdown of owners.

import { expect, test } from 'vitest';

/** Elements and texts that say what they contain. */
class Fake {
  constructor(name, text = '') {
    this.name = name;
    this.text = text;
    this.children = [];
  }
  setAttribute() {}
  append(...children) {
    for (const child of children) this.children.push(typeof child === 'string' ? new Fake('#text', child) : child);
  }
  get textContent() {
    return this.text + this.children.map((child) => child.textContent).join('');
  }
}
globalThis.document = { createElement: (name) => new Fake(name), createTextNode: (text) => new Fake('#text', text) };
globalThis.location = new URL('https://example.test/');
const { renderMarkdown } = await import('./markdown.ts');
const render = (text) => renderMarkdown(text, () => false);

test('a text with too many levels is shown as it is', () => {
  const quotes = '>'.repeat(20_000);
  const [paragraph, ...others] = render(quotes);
  expect([paragraph.name, paragraph.textContent.length, others.length]).toEqual(['p', 20_000, 0]);
  for (const text of ['- a'.repeat(6000), '*a '.repeat(6000), '['.repeat(20_000), '![['.repeat(6000), '<b>'.repeat(6000)])
    expect(() => render(text)).not.toThrow();
});

test('other texts have their elements', () => {
  expect(render('> a **word**')[0].name).toBe('blockquote');
  expect(render('# Title')[0]).toMatchObject({ name: 'h3' });
});
