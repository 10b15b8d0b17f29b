// Sizes and times for people, in the language of the console.

import { currentLanguage } from './i18n.svelte.ts';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** Returns a number of bytes in the unit that fits. */
export function size(bytes: number): string {
  let unit = 0;
  while (bytes >= 999.5 && unit < units.length - 1) {
    bytes /= 1000;
    unit += 1;
  }
  return new Intl.NumberFormat(currentLanguage(), {
    style: 'unit',
    unit: units[unit],
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: bytes < 10 && unit > 0 ? 1 : 0,
  }).format(bytes);
}

const spans: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** The moment is RFC 3339. Less than a minute is "now". */
export function ago(moment: string): string {
  const seconds = (Date.parse(moment) - Date.now()) / 1000;
  const [unit, length] = spans.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  const amount = unit === 'second' ? 0 : Math.trunc(seconds / length);
  return new Intl.RelativeTimeFormat(currentLanguage(), { numeric: 'auto' }).format(amount, unit);
}

/** Returns a moment in full, as a title of a shorter form. */
export function moment(value: string): string {
  return new Intl.DateTimeFormat(currentLanguage(), { dateStyle: 'long', timeStyle: 'short' }).format(new Date(value));
}

/** Returns a duration in the largest unit that fits, rounded up. */
export function duration(seconds: number): string {
  const [unit, length] = seconds >= 3600 ? (['hour', 3600] as const) : seconds >= 90 ? (['minute', 60] as const) : (['second', 1] as const);
  return new Intl.NumberFormat(currentLanguage(), { style: 'unit', unit, unitDisplay: 'long' }).format(Math.ceil(seconds / length));
}

/** Returns a fraction in percent. */
export function percent(fraction: number): string {
  return fraction.toLocaleString(currentLanguage(), { style: 'percent' });
}

export function number(value: number): string {
  return value.toLocaleString(currentLanguage());
}
