// The icons of the controls, as lines on a square of 24.

const lines = {
  walk: 'M12 6.5a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM12 9v5l-3.5 6M12 14l3.5 6M8 12.5 12 9l4 3.5',
  fly: 'M3 11.5 21 4l-6.5 17-3-7.5z M11.5 13.5 21 4',
  orbit: 'M12 12v.01M20.5 12c0 2.5-3.8 4.5-8.5 4.5S3.5 14.5 3.5 12 7.3 7.5 12 7.5c2.5 0 4.8.6 6.3 1.5M18.8 5.5 18.3 9l-3.5-.4',
  reset: 'M4 11.5 12 4l8 7.5M6.5 9.5V20h11V9.5',
  copyLink: 'm10 14 4-4M8.5 10.5 6 13a3.54 3.54 0 0 0 5 5l2.5-2.5M15.5 13.5 18 11a3.54 3.54 0 0 0-5-5l-2.5 2.5',
  soundOn: 'M4 10v4h3.5l4.5 4V6l-4.5 4zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11',
  contents: 'M9 6h11M9 12h11M9 18h11M4.5 6v.01M4.5 12v.01M4.5 18v.01',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M15.5 4.3a3.5 3.5 0 0 1 0 6.4M18 14.6c2.1.8 3.5 2.7 3.5 5.4',
  help: 'M9 9a3 3 0 1 1 4.2 2.75c-.8.35-1.2 1-1.2 1.75v.5M12 17.5v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z',
  fullscreen: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  vr: 'M3.5 8h17v8.5h-5.5L13 14h-2l-2 2.5H3.5zM8 12v.01M16 12v.01',
  ar: 'M8 4H4v4M16 4h4v4M8 20H4v-4M16 20h4v-4M12 7.5l4 2.25v4.5l-4 2.25-4-2.25v-4.5zM12 12v4.5M12 12l4-2.25M12 12 8 9.75',
  back: 'm10 6-6 6 6 6M4 12h16',
  share: 'M12 15V4M8 7.5 12 3.5l4 4M7 11H5.5v9.5h13V11H17',
  more: 'M6 12a.75.75 0 1 1-1.5 0A.75.75 0 0 1 6 12zM12.75 12a.75.75 0 1 1-1.5 0 .75.75 0 0 1 1.5 0zM19.5 12a.75.75 0 1 1-1.5 0 .75.75 0 0 1 1.5 0z',
  close: 'm6 6 12 12M18 6 6 18',
  about: 'M12 11v5.5M12 7.5v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z',
  report: 'M6 21V4h11l-2.5 4L17 12H6',
  mouseLook: 'M12 3.5A5.5 5.5 0 0 0 6.5 9v6a5.5 5.5 0 0 0 11 0V9A5.5 5.5 0 0 0 12 3.5zM12 7v3.5',
  drop: 'M12 4v11M7.5 10.5 12 15l4.5-4.5M4 16v4.5h16V16',
  edit: 'M4 20l1-4.5L16.5 4a2.1 2.1 0 0 1 3 3L8 18.5zM14.5 6l3.5 3.5',
} as const;

export type Icon = keyof typeof lines;

const namespace = 'http://www.w3.org/2000/svg';

/** Returns an icon; the control that has it needs a text, too. */
export function icon(name: Icon): SVGElement {
  return draw(lines[name]);
}

/** Returns an icon with these lines. */
export function draw(line: string): SVGElement {
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', line);
  const picture = document.createElementNS(namespace, 'svg');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('aria-hidden', 'true');
  picture.append(path);
  return picture;
}
