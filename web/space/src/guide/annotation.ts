// Annotations: points of a space with a text, a picture, a video or a sound.

import { contentAddress, fileName, nameOf, object, placementOf, text } from '../entity.ts';
import type { EntityRow, Triple } from '../server/space.ts';
import { readViewpoint } from './viewpoint.ts';
import type { Viewpoint } from './viewpoint.ts';

export interface Media {
  kind: 'image' | 'video' | 'sound';
  address: string;
}

export interface Annotation {
  id: string;
  position: Triple;
  title: string;
  /** Markdown. */
  text: string;
  media: readonly Media[];
  /** An address; empty for none. */
  link: string;
  /** The text of the link; empty for its host. */
  linkText: string;
  view: Viewpoint | null;
  /** Whether it opens when a visitor comes near. */
  autoOpen: boolean;
}

const mediaKinds: Record<string, Media['kind']> = {
  jpg: 'image',
  jpeg: 'image',
  png: 'image',
  gif: 'image',
  webp: 'image',
  mp4: 'video',
  webm: 'video',
  mp3: 'sound',
  ogg: 'sound',
  wav: 'sound',
};

function mediaOf(entity: EntityRow): Media[] {
  const { data } = entity;
  const own = contentAddress(entity);
  const kind =
    mediaKinds[
      fileName(entity.file?.readUrl ?? own)
        .split('.')
        .pop()
        ?.toLowerCase() ?? ''
    ];
  const fields = [
    ['image', 'imageURL'],
    ['video', 'videoURL'],
    ['sound', 'soundURL'],
  ] as const;
  return [
    ...(own && kind ? [{ kind, address: entity.file?.readUrl ?? own }] : []),
    ...fields.flatMap(([name, field]) => (text(data, field) ? [{ kind: name, address: text(data, field) }] : [])),
  ];
}

export function annotationOf(entity: EntityRow): Annotation {
  const { data } = entity;
  const named = nameOf(entity);
  return {
    id: entity.entityId,
    position: placementOf(data).position,
    title: named === entity.entityId || named === entity.file?.name ? '' : named,
    text: text(data, 'text') || text(data, 'description'),
    media: mediaOf(entity),
    link: text(data, 'link'),
    linkText: text(data, 'linkText'),
    view: readViewpoint(data, 'camera') ?? readViewpoint(object(data, 'extras'), 'camera'),
    autoOpen: data['autoOpen'] === true,
  };
}

/** Returns an address that a link of an owner may have; null for others, such as of scripts. */
export function safeAddress(address: string): URL | null {
  if (!URL.canParse(address, location.href)) return null;
  const url = new URL(address, location.href);
  return ['https:', 'http:', 'mailto:'].includes(url.protocol) ? url : null;
}
