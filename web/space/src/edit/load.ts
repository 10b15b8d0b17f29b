// Loads the editor when it is needed first: only owners need it.

import type { EditContext } from './context.ts';
import type { Editor } from './editor.ts';

/** Null unless the editor is being loaded. */
let loading: Promise<Editor> | null = null;

/** Returns an editor. Calls while it loads return the same one; after an error, the next call loads it again. */
export function loadEditor(context: EditContext): Promise<Editor> {
  loading ??= load(context).finally(() => {
    loading = null;
  });
  return loading;
}

async function load(context: EditContext): Promise<Editor> {
  const { Editor } = await import('./editor.ts');
  return Editor.create(context);
}
