// The statistics of a space as CSV (RFC 4180), one row for each thing that was counted.

interface Counted {
  readonly name: string;
  readonly title: string;
  readonly count: number;
  readonly seconds: number;
}

export interface Statistics {
  readonly days: readonly { readonly day: string; readonly visits: number; readonly stays: number; readonly seconds: number }[];
  readonly hosts: readonly Counted[];
  readonly places: readonly Counted[];
  readonly devices: readonly Counted[];
  readonly tours: readonly Counted[];
  readonly annotations: readonly Counted[];
}

/**
 * Returns a cell. A spreadsheet runs a text as a formula that begins with one of these characters, so an
 * apostrophe comes first (OWASP, CSV Injection).
 */
function cell(value: string | number): string {
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvOf(found: Statistics): string {
  const rows: (string | number)[][] = [['kind', 'name', 'title', 'count', 'seconds']];
  for (const { day, visits, stays, seconds } of found.days) {
    rows.push(['visits', day, '', visits, ''], ['stays', day, '', stays, seconds]);
  }
  for (const kind of ['hosts', 'places', 'devices', 'tours', 'annotations'] as const)
    for (const { name, title, count, seconds } of found[kind]) rows.push([kind, name, title, count, seconds]);
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
