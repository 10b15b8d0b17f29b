// What people drop or choose: files, and folders with all that is in them.

import type { Entry } from './zip.ts';

/** A file, or a folder that becomes one zip archive. */
export interface Source {
  readonly name: string;
  readonly size: number;
  readonly file?: Blob;
  readonly entries?: readonly Entry[];
}

/** Files that systems leave in folders, which are no part of a capture. */
const litter = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|__MACOSX\/.*|\._[^/]*)$/;

/** Returns the sources of a drop. It must be called before the event has ended. */
export function dropped(transfer: DataTransfer): Promise<Source[]> {
  // The items are gone after the first wait.
  const items = [...transfer.items].filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  return Promise.all(items.map(async ({ entry, file }) => {
    if (entry?.isDirectory) return folder(entry.name, await walk(entry as FileSystemDirectoryEntry, `${entry.name}/`));
    return file && single(file);
  })).then((sources) => sources.filter((source) => source !== null));
}

/** Returns the sources of chosen files. Files of a chosen folder belong together. */
export function chosen(files: FileList): Source[] {
  const folders = new Map<string, Entry[]>();
  const sources: Source[] = [];
  for (const file of files) {
    const path = file.webkitRelativePath;
    const [top] = path.split('/');
    if (!path || !top) sources.push(single(file));
    else folders.set(top, [...(folders.get(top) ?? []), { path, file }]);
  }
  for (const [name, entries] of folders) sources.push(folder(name, entries));
  return sources;
}

function single(file: File): Source { return { name: file.name, size: file.size, file }; }

function folder(name: string, entries: Entry[]): Source {
  const kept = entries.filter(({ path }) => !litter.test(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  return { name: `${name}.zip`, size: kept.reduce((sum, { file }) => sum + file.size, 0), entries: kept };
}

async function walk(directory: FileSystemDirectoryEntry, path: string): Promise<Entry[]> {
  const found: Entry[] = [];
  const reader = directory.createReader();
  for (;;) {
    // Browsers answer with up to 100 entries a call.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (some.length === 0) return found;
    for (const entry of some) {
      if (entry.isDirectory) found.push(...await walk(entry as FileSystemDirectoryEntry, `${path}${entry.name}/`));
      else {
        const file = await new Promise<File>((resolve, reject) => { (entry as FileSystemFileEntry).file(resolve, reject); });
        found.push({ path: path + entry.name, file });
      }
    }
  }
}
