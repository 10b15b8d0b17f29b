// Stands between the page and the worker of a plugin: ends a worker that does not answer or
// sends too much, and passes on texts that are not too long.

/** The maximum of messages in a second, and of the characters of one. */
const maxMessages = 60;
const maxLength = 16_384;
/** The worker is asked at this interval, in milliseconds, and may miss this many answers. */
const interval = 2000;
const maxMissed = 5;

const page = document.documentElement.dataset.page;
let port = null;

function run(start) {
  const address = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
  // A classic worker: browsers start no module from a blob of an opaque origin.
  const worker = new Worker(address);
  // A busy browser takes its time to start a worker: the plugin runs, and can hang, after that.
  let started = false;
  let missed = 0;
  let sent = 0;
  let second = performance.now();
  const stop = (reason) => {
    clearInterval(timer);
    worker.terminate();
    port.postMessage({ stopped: reason });
    port.close();
  };
  const timer = setInterval(() => {
    if (!started) return;
    if (++missed > maxMissed) stop('hanging');
    else worker.postMessage({ type: 'ping' });
  }, interval);
  worker.onmessage = ({ data }) => {
    const now = performance.now();
    if (now - second >= 1000) [second, sent] = [now, 0];
    if (++sent > maxMessages) {
      worker.onmessage = null;
      stop('flood');
      return;
    }
    if (data?.type === 'pong') {
      started = true;
      missed = 0;
      return;
    }
    if (data?.type === 'failed') {
      stop('failed');
      return;
    }
    const text = textOf(data);
    if (text.length <= maxLength) port.postMessage({ plugin: text });
  };
  worker.onerror = (event) => {
    // An error in a handler of the plugin does not end it.
    event.preventDefault();
  };
  port.onmessage = ({ data }) => worker.postMessage(data);
  worker.postMessage(start);
}

/** Returns a message as JSON; empty for one that has no such form. */
function textOf(data) {
  try {
    return JSON.stringify(data) ?? '';
  } catch {
    return '';
  }
}

addEventListener('message', (event) => {
  if (port || event.source !== parent || event.origin !== page || event.data?.type !== 'start') return;
  [port] = event.ports;
  run(event.data);
});
