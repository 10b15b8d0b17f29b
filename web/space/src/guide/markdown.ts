// Markdown of owners as elements. The text becomes nodes of the page one by one, and never HTML: what
// is not in the list below is shown as the text that it is.

import { Lexer } from 'marked';
import type { Token, Tokens } from 'marked';
import { element } from '../ui/elements.ts';
import { safeAddress } from './annotation.ts';

/** The maximum of characters that are read. */
const maxText = 20_000;
/** The maximum depth of lists, quotes and emphasis in each other. */
const maxDepth = 12;

/**
 * Returns the elements of a text; the text itself where it has more levels than can be read. mayLoad
 * reports whether the page may load a picture.
 */
export function renderMarkdown(source: string, mayLoad: (address: string) => boolean): Node[] {
  const text = source.slice(0, maxText);
  let tokens: readonly Token[];
  try {
    tokens = Lexer.lex(text, { gfm: true, breaks: true });
  } catch {
    return [element('p', {}, text)]; // the lexer calls itself for each level, until the stack is full
  }
  return render(tokens, mayLoad, 0);
}

function render(tokens: readonly Token[], mayLoad: (address: string) => boolean, depth: number): Node[] {
  if (depth > maxDepth) return tokens.map((token) => document.createTextNode(token.raw));
  return tokens.flatMap((token) => renderToken(token, (inner) => render(inner ?? [], mayLoad, depth + 1), mayLoad));
}

function renderToken(token: Token, inside: (tokens?: readonly Token[]) => Node[], mayLoad: (address: string) => boolean): Node[] {
  const { tokens } = token as Tokens.Generic;
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'paragraph':
      return [element('p', {}, ...inside(tokens))];
    case 'heading':
      // The title of the annotation is above it.
      return [element((token as Tokens.Heading).depth < 3 ? 'h3' : 'h4', {}, ...inside(tokens))];
    case 'strong':
      return [element('strong', {}, ...inside(tokens))];
    case 'em':
      return [element('em', {}, ...inside(tokens))];
    case 'del':
      return [element('del', {}, ...inside(tokens))];
    case 'blockquote':
      return [element('blockquote', {}, ...inside(tokens))];
    case 'br':
      return [element('br')];
    case 'hr':
      return [element('hr')];
    case 'codespan':
      return [element('code', {}, (token as Tokens.Codespan).text)];
    case 'code':
      return [element('pre', { tabindex: '0' }, element('code', {}, (token as Tokens.Code).text))];
    case 'list': {
      const { ordered, items, start } = token as Tokens.List;
      const rows = items.map((item) => element('li', {}, ...inside(item.tokens)));
      return [ordered ? element('ol', { start: String(start || 1) }, ...rows) : element('ul', {}, ...rows)];
    }
    case 'link':
      return [link((token as Tokens.Link).href, inside(tokens))];
    case 'image':
      return [image(token as Tokens.Image, mayLoad)];
    case 'text':
      return tokens ? inside(tokens) : [document.createTextNode((token as Tokens.Text).text)];
    case 'escape':
      return [document.createTextNode((token as Tokens.Escape).text)];
    default:
      return [document.createTextNode(token.raw)];
  }
}

/** Returns a link that tells its page nothing about this one. */
export function link(address: string, content: readonly (Node | string)[]): Node {
  const url = safeAddress(address);
  if (!url) return element('span', {}, ...content);
  const here = url.origin === location.origin && url.pathname === location.pathname && url.hash !== '';
  const place: Record<string, string> = here ? {} : { target: '_blank', rel: 'noopener noreferrer nofollow ugc' };
  return element('a', { href: here ? url.hash : url.href, ...place }, ...content);
}

function image({ href, text }: Tokens.Image, mayLoad: (address: string) => boolean): Node {
  return mayLoad(href) ? element('img', { src: href, alt: text, loading: 'lazy' }) : link(href, [text || href]);
}
