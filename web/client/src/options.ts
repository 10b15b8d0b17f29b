// What an upload is told, and what it tells.

import type { ConversionTarget, Job } from './documents.ts';

/** How far an upload is: its bytes are sent, or a job of the server processes them. */
export type Progress =
  | {
      readonly step: 'sending';
      readonly sent: number;
      readonly total: number;
      /** The address with which another upload of the same file continues, for a day; empty if it cannot. */
      readonly resume: string;
    }
  | { readonly step: 'processing'; readonly job: Job };

export interface UploadOptions {
  /** The name with its extension. The default is the name of a File; a Blob has none. */
  fileName?: string | undefined;
  /** The media type. The default is found by the name. */
  contentType?: string | undefined;
  /** Converts the file after the upload. */
  convertTo?: ConversionTarget | undefined;
  /** Continues an upload of the same file, by the address that its progress or its error had. */
  resume?: string | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Cancels the upload and its job, and frees their storage. The error is the reason of the signal. */
  signal?: AbortSignal | undefined;
}
