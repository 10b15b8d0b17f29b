/** The request that sends the bytes of a file: UploadParams of the schema. */
export interface UploadRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** Sends a file. It reports the sent share, 0 to 1, which fetch cannot. */
export function send(request: UploadRequest, file: File, onProgress: (share: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open(request.method, request.url);
    for (const { name, value } of request.headers) sending.setRequestHeader(name, value);
    sending.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total);
    sending.onload = () => (sending.status < 300 ? resolve() : reject(new Error(sending.responseText)));
    sending.onerror = () => reject(new Error('The connection was lost.'));
    sending.send(file);
  });
}
