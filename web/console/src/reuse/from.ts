// A new space from a template, which is a copy of it.

import { mutate } from '../server/query.svelte.ts';
import { duplicateSpaceMutation } from './documents.ts';

/** Copies a space, and returns the copy. Without a title it has that of the space. */
export async function copyOf(spaceId: string, title: string): Promise<{ spaceId: string } | undefined> {
  const { duplicateSpace } = await mutate(duplicateSpaceMutation, { input: { spaceId, title } });
  return duplicateSpace?.space;
}
