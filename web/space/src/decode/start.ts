// Starts the workers of the decoders.

/**
 * Starts a worker from the address of its file. A page in a frame with the attribute sandbox has no origin,
 * and so no file from which it may start a worker: it starts the worker from a copy, which has the policy
 * of the page.
 */
export async function startWorker(address: string): Promise<Worker> {
  if (self.origin !== 'null') return new Worker(address);
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the worker of a decoder: status ${response.status}`);
  const copy = URL.createObjectURL(new Blob([await response.text()], { type: 'text/javascript' }));
  try {
    return new Worker(copy);
  } finally {
    URL.revokeObjectURL(copy);
  }
}
