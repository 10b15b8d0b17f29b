// The tags of a space are words of its description that begin with #. The gallery finds spaces by them.

/** What a tag may be, with or without its #: an expression for the attribute pattern of an input. */
export const tagPattern = '#?[\\p{L}\\p{N}_]{1,50}';

const anyTag = /(?<=^|\s)#[\p{L}\p{N}_]{1,50}/gu;

/** Returns the tags of a description, each once. */
export function tagsOf(description: string): string[] {
  return [...new Set(description.match(anyTag))];
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Returns the description with the tag at its end, unless the description has the tag. */
export function withTag(description: string, tag: string): string {
  if (tagsOf(description).some((known) => isSame(known, tag))) return description;
  const words = description.trimEnd();
  const lastLine = words.slice(words.lastIndexOf('\n') + 1);
  return words + (words === '' ? '' : lastLine.startsWith('#') ? ' ' : '\n') + tag;
}

/** Returns the description without the tag. */
export function withoutTag(description: string, tag: string): string {
  return description.replace(/(^|\s)(#[\p{L}\p{N}_]{1,50})/gu, (found, _space, known: string) => (isSame(known, tag) ? '' : found)).trim();
}
