// What people drop into the view.

/** Files and the names of folders. */
export interface Dropped {
  files: readonly File[];
  folders: readonly string[];
}

/** Reads a drop; browsers forget it when its event ends. */
export function readDropped(transfer: DataTransfer): Dropped {
  const folders = [...transfer.items].filter((item) => item.webkitGetAsEntry()?.isDirectory).map((item) => item.getAsFile()?.name ?? '');
  return { folders, files: [...transfer.files].filter((file) => !folders.includes(file.name)) };
}
