// The pictures of the markers and of the panel that visitors with a headset see.

/** Metres: width and height. */
export const panelSize: [number, number] = [0.9, 0.66];
/** Pixels for each metre, so that a letter of 32 pixels is as high as one of a book at arm's length. */
const density = 1200;
const [dark, light, shade] = ['#14171df2', '#ffffff', '#39414f'];
const margin = 48;
const buttonHeight = 108;
const gap = 24;
const family = 'system-ui, sans-serif';

export interface PanelContent {
  title: string;
  text: string;
  image: ImageBitmap | null;
  count: string;
  labels: readonly string[];
}

/** Returns the place of a button in metres from the middle of the panel, and its size. */
export function buttonPlace(index: number, count: number): { x: number; y: number; width: number; height: number } {
  const [panel, height] = [panelSize[0] * density, panelSize[1] * density];
  const width = (panel - 2 * margin - (count - 1) * gap) / count;
  const x = margin + index * (width + gap) + width / 2 - panel / 2;
  const y = height / 2 - (height - margin - buttonHeight / 2);
  return { x: x / density, y: y / density, width: width / density, height: buttonHeight / density };
}

function newCanvas(width: number, height: number): CanvasRenderingContext2D {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext('2d')!;
  context.textBaseline = 'middle';
  return context;
}

export function drawMarker(label: string, isOpen: boolean): HTMLCanvasElement {
  const context = newCanvas(128, 128);
  const [paper, ink] = isOpen ? [dark, light] : [light, dark];
  for (const [radius, colour] of [
    [62, paper],
    [56, ink],
    [50, paper],
  ] as const) {
    context.fillStyle = colour;
    context.beginPath();
    context.arc(64, 64, radius, 0, 2 * Math.PI);
    context.fill();
  }
  context.fillStyle = ink;
  context.textAlign = 'center';
  context.font = `600 56px ${family}`;
  context.fillText(label, 64, 68, 84);
  return context.canvas;
}

export function drawPanel({ title, text, image, count, labels }: PanelContent): HTMLCanvasElement {
  const [width, height] = panelSize.map((metres) => Math.round(metres * density)) as [number, number];
  const context = newCanvas(width, height);
  context.fillStyle = dark;
  context.beginPath();
  context.roundRect(0, 0, width, height, 40);
  context.fill();
  context.fillStyle = light;
  context.font = `400 32px ${family}`;
  context.textAlign = 'right';
  context.fillText(count, width - margin, margin + 30);
  const beside = count ? context.measureText(count).width + gap : 0;
  context.textAlign = 'left';
  context.font = `600 52px ${family}`;
  let y = write(context, title, margin, margin, width - 2 * margin - beside, 2, 62) + gap;
  const bottom = height - margin - buttonHeight - gap;
  let right = width - margin;
  if (image) {
    const room = text ? width * 0.4 : width - 2 * margin;
    const factor = Math.min(room / image.width, (bottom - y) / image.height);
    const [w, h] = [image.width * factor, image.height * factor];
    const x = text ? right - w : (width - w) / 2;
    context.drawImage(image, x, y, w, h);
    if (text) right = x - gap;
  }
  context.font = `400 38px ${family}`;
  y = write(context, text, margin, y, right - margin, Math.floor((bottom - y) / 50), 50);
  context.textAlign = 'center';
  labels.forEach((label, i) => {
    const place = buttonPlace(i, labels.length);
    const [x, middle, w] = [width / 2 + place.x * density, height / 2 - place.y * density, place.width * density];
    context.fillStyle = shade;
    context.beginPath();
    context.roundRect(x - w / 2, middle - buttonHeight / 2, w, buttonHeight, 24);
    context.fill();
    context.fillStyle = light;
    context.font = `600 36px ${family}`;
    const [line = ''] = wrap(context, label, w - gap, 1);
    context.fillText(line, x, middle);
  });
  return context.canvas;
}

/** Writes a text from a height downwards, and returns the height below it. */
function write(context: CanvasRenderingContext2D, text: string, x: number, y: number, width: number, rows: number, row: number): number {
  const lines = wrap(context, text, width, rows);
  for (const [i, line] of lines.entries()) context.fillText(line, x, y + (i + 0.5) * row);
  return y + lines.length * row;
}

/** Breaks a text into lines that fit, at most so many; what does not fit ends with three dots. */
function wrap(context: CanvasRenderingContext2D, text: string, width: number, rows: number): string[] {
  const fits = (line: string): boolean => context.measureText(line).width <= width;
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const segment of piecesOf(paragraph)) {
      if (lines.length > rows) break;
      if (fits((line + segment).trimEnd())) {
        line += segment;
        continue;
      }
      if (line) lines.push(line.trimEnd());
      line = '';
      for (const letter of segment.trimStart()) {
        if (line && !fits(line + letter)) {
          lines.push(line);
          line = '';
        }
        line += letter;
      }
    }
    lines.push(line.trimEnd());
  }
  while (lines.at(-1) === '') lines.pop();
  if (lines.length <= rows) return lines;
  let last = lines[rows - 1] ?? '';
  while (last && !fits(`${last}…`)) last = last.slice(0, -1);
  return [...lines.slice(0, Math.max(0, rows - 1)), ...(rows > 0 ? [`${last.trimEnd()}…`] : [])];
}

/** Returns the pieces between which a line may end. Japanese and Chinese have no spaces between words. */
function piecesOf(paragraph: string): string[] {
  const pieces: string[] = [];
  for (const { segment, isWordLike } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(paragraph)) {
    const before = pieces.at(-1)?.trim();
    // A full stop stays with its word.
    if (!isWordLike && segment.trim() && before) pieces.push(pieces.pop()! + segment);
    else pieces.push(segment);
  }
  return pieces;
}

/** Returns the text of Markdown, without its marks. */
export async function plainText(markdown: string): Promise<string> {
  if (!markdown) return '';
  try {
    const { renderMarkdown } = await import('./markdown.ts');
    const nodes = renderMarkdown(markdown, () => false);
    return nodes
      .map(textOf)
      .join('')
      .replace(/\n{2,}/g, '\n')
      .trim();
  } catch {
    return markdown;
  }
}

function textOf(node: Node): string {
  const inner = node.hasChildNodes() ? [...node.childNodes].map(textOf).join('') : (node.textContent ?? '');
  if (node.nodeName === 'LI') return `• ${inner}\n`;
  return /^(P|BR|H3|H4|UL|OL|PRE|BLOCKQUOTE)$/.test(node.nodeName) ? `${inner}\n` : inner;
}
