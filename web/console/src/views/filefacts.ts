// What a file contains, for people.

import type { IconName } from '../parts/Icon.svelte';
import { number } from '../format.ts';
import { text } from '../i18n.svelte.ts';
import { sentenceText } from '../sentences.svelte.ts';

type Facts = {
  __typename: string;
  format: string;
  version?: string | null;
  splats?: number;
  levels?: readonly number[];
  vertices?: number;
  width?: number;
  height?: number;
  fault?: string;
} | null;

const names: Readonly<Record<string, string>> = {
  STREAMED_SOG: 'Streamed SOG',
  MESH_PLY: 'PLY',
  GLB: 'glTF',
  GLTF: 'glTF',
  WEBP: 'WebP',
  SPLAT: '.splat',
  KSPLAT: '.ksplat',
};

/** Returns text for people, also for a file that is being read, is damaged or has another format. */
export function formatName(facts: Facts, name = ''): string {
  if (!facts) return text('facts.pending');
  if (facts.format === 'OTHER') return shownByName.exec(name)?.[1]?.toUpperCase() ?? text('facts.other');
  if (facts.format === 'INVALID') return text('facts.damaged');
  if (facts.format === 'COMPRESSED_PLY') return text('convert.COMPRESSED_PLY');
  return names[facts.format] ?? facts.format;
}

/** Formats without facts that the page of a space shows by their names: pictures, films, sounds and plugins. */
const shownByName = /\.(jpe?g|png|gif|webp|mp4|webm|mp3|ogg|wav|mjs)$/i;

/** Reports whether a space can show a file, as far as its facts are known. */
export function isShown({ name, facts }: { name: string; facts: Facts }): boolean {
  if (facts?.format === 'OTHER') return shownByName.test(name);
  return facts?.format !== 'MESH_PLY';
}

/** Reports whether a space can be made of a file: people stand in a capture or a model, or before a picture. */
export function canBecomeSpace(file: { name: string; facts: Facts }): boolean {
  return isShown(file) && ['GaussianFacts', 'MeshFacts', 'ImageFacts'].includes(file.facts?.__typename ?? '');
}

/** Returns the size of the content: Gaussians, vertices or pixels. */
export function summary(facts: Facts): string {
  if (facts?.splats) return splatsText(facts.splats);
  if (facts?.vertices) return text('facts.vertices', { count: short(facts.vertices) });
  if (facts?.width && facts.height) return `${number(facts.width)} × ${number(facts.height)}`;
  return facts?.fault ? sentenceText(facts.fault) : '';
}

/** Returns the number of Gaussians in words; empty for an unknown one, which is 0. */
export function splatsText(splats: number): string {
  return splats ? text('facts.splats', { count: short(splats) }) : '';
}

function short(value: number): string {
  return new Intl.NumberFormat(document.documentElement.lang, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** Returns the icon of a file. */
export function iconOf({ name, facts }: { name: string; facts: Facts }): IconName {
  switch (facts?.__typename) {
    case 'GaussianFacts':
      return 'capture';
    case 'MeshFacts':
      return 'model';
    case 'ImageFacts':
      return 'picture';
  }
  if (/\.(jpe?g|png|gif|webp)$/i.test(name)) return 'picture';
  if (/\.(mp4|webm)$/i.test(name)) return 'video';
  if (/\.(mp3|ogg|wav)$/i.test(name)) return 'sound';
  if (/\.mjs$/i.test(name)) return 'plugin';
  return /\.zip$/i.test(name) ? 'archive' : 'files';
}

/** Returns the kind of a file for the plot of the storage. */
export function kindOf(facts: { __typename: string } | null): 'captures' | 'models' | 'pictures' | 'others' {
  switch (facts?.__typename) {
    case 'GaussianFacts':
      return 'captures';
    case 'MeshFacts':
      return 'models';
    case 'ImageFacts':
      return 'pictures';
    default:
      return 'others';
  }
}
