// What SuperSplat's viewer makes of settings: validates a list of files with the limits of its editor, and
// prints its own default settings, as its importer returns them.

import { defaultSettings, importSettings, validateSettings } from '@playcanvas/supersplat-viewer/settings';
import { text } from 'node:stream/consumers';

const files = JSON.parse(await text(process.stdin));
for (const [name, file] of Object.entries(files ?? {})) {
  let problem = '';
  try {
    validateSettings(file, { limits: true });
    importSettings(file);
  } catch (error) {
    problem = error.message;
  }
  console.log(JSON.stringify({ name, problem }));
}
for (const fit of ['environment', 'object']) console.log(JSON.stringify({ name: fit, settings: importSettings(defaultSettings(fit)) }));
