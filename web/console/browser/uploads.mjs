// The part of the scenario that publishes files: a folder, files that are dropped, and a large file in pieces.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { choose } from './look.mjs';

// publishFolder sends a folder with a capture, which the browser zips and a job unpacks.
export async function publishFolder({ page, context, base, folder, button, look, timeout, wrong }) {
  const sample = await (await context.request.get(`${base}/console/sample.sog`)).body();
  await mkdir(join(folder, 'Hall', 'export'), { recursive: true });
  await writeFile(join(folder, 'Hall', 'export', 'hall.sog'), sample);
  await writeFile(join(folder, 'Hall', '.DS_Store'), 'litter');
  await page.locator('input[webkitdirectory]').setInputFiles(join(folder, 'Hall'));
  await page.getByText('Ready to walk in.').waitFor();
  await look('tray');
  await button('Make a space').click(); // and go into it
  await page.locator('#scene canvas').first().waitFor({ state: 'attached', timeout: timeout });
  await page.goto(`${base}/console`);
  await page.getByRole('heading', { level: 1, name: 'Spaces' }).waitFor();
  await page.getByRole('link', { name: 'Hall', exact: true }).waitFor();
  if (await page.getByText('Hall.zip').count()) wrong('a finished upload comes back with the page');
}

// publishDrop drops an empty file, which is refused in words, and a picture, which is placed.
export async function publishDrop({ page, button, look }) {
  await page.evaluate(async () => {
    const plan = new OffscreenCanvas(800, 500); // the walls of three rooms
    const pen = plan.getContext('2d');
    pen.fillStyle = '#f7f5ef';
    pen.fillRect(0, 0, 800, 500);
    pen.lineWidth = 14;
    pen.strokeStyle = '#39414f';
    for (const room of [
      [80, 70, 640, 360],
      [80, 70, 260, 360],
      [340, 70, 380, 170],
    ])
      pen.strokeRect(...room);
    pen.fillStyle = '#f7f5ef';
    for (const door of [
      [330, 320, 20, 70],
      [480, 230, 80, 20],
      [180, 420, 80, 20],
    ])
      pen.fillRect(...door);
    const transfer = new DataTransfer();
    transfer.items.add(new File([await plan.convertToBlob()], 'plan.png', { type: 'image/png' }));
    transfer.items.add(new File([], 'nothing.ply'));
    dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
  });
  await page.locator('#tray button').click(); // several uploads are one line
  await page.getByText('The file is empty. Export it again.').waitFor();
  await choose(page, 'de');
  await page.getByText('Die Datei ist leer. Exportieren Sie sie noch einmal.').waitFor();
  await choose(page, 'en');
  await button('Place it in…').click();
  await look('place');
  await page.getByRole('dialog').getByRole('button', { name: 'Hall', exact: true }).click();
  await page.getByRole('link', { name: 'Open the space' }).waitFor();
  await button('Clear the finished uploads').press('Enter');
  await page.getByText('plan.png').waitFor({ state: 'detached' });
  await page.getByText('nothing.ply').waitFor({ state: 'detached' });
}

// resumeUpload pauses a large file, reloads the page in the middle of it and chooses it again.
export async function resumeUpload({ page, context, folder, look, wrong }) {
  const path = join(folder, 'walls.bin');
  await writeFile(path, Buffer.alloc(40 << 20, 7));
  const offsets = new Map(); // of the requests for each part
  page.on('request', (request) => {
    if (request.method() === 'PATCH')
      offsets.set(request.url(), [...(offsets.get(request.url()) ?? []), Number(request.headers()['upload-offset'])]);
  });
  const network = await context.newCDPSession(page);
  const limit = (uploadThroughput) =>
    network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput });
  await network.send('Network.enable');
  await limit(16 << 20);
  const files = page.locator('input[type=file]:not([webkitdirectory])');
  await files.setInputFiles(path);
  await page.getByText(/^Sending \d\d MB of 42 MB/).waitFor();
  await page.getByRole('button', { name: 'Pause walls.bin' }).click();
  await page.getByText(/^Paused at/).waitFor();
  await look('paused');
  await page.getByRole('button', { name: 'Resume walls.bin' }).click();
  await page.getByText(/^Sending [23]\d MB of 42 MB/).waitFor();
  await page.reload();
  await page.getByText(/^Stopped at [1-4]\d MB of 42 MB. Choose it again/).waitFor();
  await limit(-1);
  await files.setInputFiles({ name: 'walls.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(9) });
  await page.getByText('walls.bin is not the file that was being uploaded').waitFor(); // nothing is uploaded unasked
  await files.setInputFiles(path);
  await page.getByText('Stored, but no space can show').waitFor();
  // On a busy machine, a part may have ended before the pause or the reload.
  const starts = [...offsets.values()];
  const continues = ([first, ...later]) => first === 0 && later.every((start, i) => start > 0 && start >= (later[i - 1] ?? 0));
  if (starts.length !== 3 || !starts.some((pieces) => pieces.length > 1) || !starts.every(continues))
    wrong(`the pieces start at ${JSON.stringify(starts)}`);
  await network.detach();
  await page.getByRole('button', { name: /^Remove walls.bin/ }).click();
}
