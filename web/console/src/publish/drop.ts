// What people drop or choose: files, and folders with all that is in them.

import { crc32 } from './crc.ts';
import type { Entry } from './zip.ts';

/** A file that browsers can open again after a reload, if the person allows it. */
export interface FileHandle extends FileSystemFileHandle {
  queryPermission(options: { mode: 'read' }): Promise<PermissionState>;
  requestPermission(options: { mode: 'read' }): Promise<PermissionState>;
}

/** A view, in metres. */
export interface Viewpoint {
  position: number[];
  target: number[];
}

/** A file, or a folder that becomes one zip archive. */
export interface Source {
  readonly name: string;
  readonly size: number;
  readonly file?: Blob;
  readonly entries?: readonly Entry[];
  readonly handle?: FileHandle;
  /** The first view of visitors, where it is known; such a file leads straight into a space of its own. */
  readonly firstView?: Viewpoint;
  /** Changes when the content does, as far as the file system knows. */
  readonly fingerprint: string;
}

/** The start of the fingerprints of folders. */
export const folderPrefix = 'folder/';

/** Files that systems leave in folders, which are not part of a capture. */
const systemFile = /(^|\/)(\.DS_Store|Thumbs\.db|desktop\.ini|__MACOSX\/.*|\._[^/]*)$/;

type HandleOf = { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> };

/** Returns the sources of a drop. It must be called before the event has ended. */
export function droppedSources(transfer: DataTransfer): Promise<Source[]> {
  // The items are gone after the first wait.
  const items = [...transfer.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({
      entry: item.webkitGetAsEntry(),
      file: item.getAsFile(),
      handle: (item as HandleOf).getAsFileSystemHandle?.().catch(() => null),
    }));
  return Promise.all(
    items.map(async ({ entry, file, handle }) => {
      if (entry?.isDirectory) {
        const found: Entry[] = [];
        await walk(entry as FileSystemDirectoryEntry, `${entry.name}/`, found);
        return folder(entry.name, found);
      }
      const opened = await handle;
      return file && single(file, opened?.kind === 'file' ? (opened as FileHandle) : undefined);
    }),
  ).then((sources) => sources.filter((source) => source !== null));
}

type PickerOf = { showOpenFilePicker?: (options: { multiple: boolean }) => Promise<FileHandle[]> };

/** Reports whether the browser lets pages choose files that they can open again. */
export function canPick(): boolean {
  return 'showOpenFilePicker' in window;
}

/** Lets the person choose files. It returns none if the person chooses none. */
export async function pick(): Promise<Source[]> {
  try {
    const handles = (await (window as PickerOf).showOpenFilePicker?.({ multiple: true })) ?? [];
    return await Promise.all(handles.map(async (handle) => single(await handle.getFile(), handle)));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return [];
    throw error;
  }
}

/**
 * Opens a file again. It returns undefined where the file is gone or the person has to allow
 * it; asking needs a click.
 */
export async function reopen(handle: FileHandle, ask: boolean): Promise<Source | undefined> {
  try {
    const permission = ask ? await handle.requestPermission({ mode: 'read' }) : await handle.queryPermission({ mode: 'read' });
    return permission === 'granted' ? single(await handle.getFile(), handle) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the sources of chosen files. Files of a chosen folder belong together. */
export function chosenSources(files: FileList): Source[] {
  const folders = new Map<string, Entry[]>();
  const sources: Source[] = [];
  for (const file of files) {
    const path = file.webkitRelativePath;
    const [top] = path.split('/');
    if (!path || !top) sources.push(single(file));
    else {
      const entries = folders.get(top);
      if (entries) entries.push({ path, file });
      else folders.set(top, [{ path, file }]);
    }
  }
  for (const [name, entries] of folders) sources.push(folder(name, entries));
  return sources;
}

function single(file: File, handle?: FileHandle): Source {
  return { name: file.name, size: file.size, file, fingerprint: `${file.size}/${file.lastModified}`, ...(handle && { handle }) };
}

function folder(name: string, entries: Entry[]): Source {
  const captured = entries.filter(({ path }) => !systemFile.test(path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  const listing = captured.map(({ path, file }) => `${path}/${file.size}/${file.lastModified}`).join('\n');
  const fingerprint = `${folderPrefix}${crc32(new TextEncoder().encode(listing))}`;
  return { name: `${name}.zip`, size: captured.reduce((sum, { file }) => sum + file.size, 0), entries: captured, fingerprint };
}

/** Adds the files below a folder to found. */
async function walk(directory: FileSystemDirectoryEntry, path: string, found: Entry[]): Promise<void> {
  const reader = directory.createReader();
  for (;;) {
    // Browsers return up to 100 entries a call.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return;
    for (const entry of some) {
      if (entry.isDirectory) await walk(entry as FileSystemDirectoryEntry, `${path}${entry.name}/`, found);
      else {
        const file = await new Promise<File>((resolve, reject) => {
          (entry as FileSystemFileEntry).file(resolve, reject);
        });
        found.push({ path: path + entry.name, file });
      }
    }
  }
}
