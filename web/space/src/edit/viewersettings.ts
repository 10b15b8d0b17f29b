// The space as a settings file of SuperSplat's viewer, out and in.

import { run } from '../server/graphql.ts';
import { button, element } from '../ui/elements.ts';
import type { EditMessages } from './messages.ts';
import { describeProblem } from './problem.ts';

/** The maximum size of a file in bytes, as the server has it. */
const maxBytes = 1 << 20;

const readDocument = 'query Settings($space: ID!) { supersplatSettings(spaceId: $space) }';

const importDocument = `
  mutation Import($space: ID!, $settings: JSON!) {
    importSupersplatSettings(input: { spaceId: $space, settings: $settings }) { annotationCount tourCount }
  }`;

interface Imported {
  importSupersplatSettings: { annotationCount: number; tourCount: number };
}

/** Returns the buttons that save the settings as a file, and take those of a file into the space. */
export function viewerSettings(spaceId: string, messages: EditMessages): HTMLElement {
  const status = element('p', { class: 'status', role: 'status' });
  const chooser = element('input', {
    type: 'file',
    accept: '.json,application/json',
    hidden: '',
    'aria-label': messages('settingsImport'),
  });
  const attempt = async (work: () => Promise<string>): Promise<void> => {
    status.textContent = '';
    try {
      status.textContent = await work();
    } catch (problem) {
      status.textContent = describeProblem(problem, messages);
    }
  };
  chooser.addEventListener('change', () => {
    const [file] = chooser.files ?? [];
    chooser.value = '';
    if (file) void attempt(() => take(spaceId, file, messages));
  });
  return element(
    'div',
    { class: 'picture' },
    button(messages('settingsSave'), () => void attempt(() => save(spaceId)), { class: 'second' }),
    button(messages('settingsImport'), () => chooser.click(), { class: 'second' }),
    chooser,
    status,
  );
}

async function save(spaceId: string): Promise<string> {
  const { supersplatSettings } = await run<{ supersplatSettings: unknown }>(readDocument, { space: spaceId });
  const content = new Blob([`${JSON.stringify(supersplatSettings, null, 2)}\n`], { type: 'application/json' });
  const address = URL.createObjectURL(content);
  element('a', { href: address, download: 'settings.json' }).click();
  URL.revokeObjectURL(address);
  return '';
}

async function take(spaceId: string, file: File, messages: EditMessages): Promise<string> {
  const settings: unknown =
    file.size > maxBytes
      ? null
      : await file
          .text()
          .then(JSON.parse)
          .catch(() => null);
  if (!settings || typeof settings !== 'object') return messages('settingsUnreadable');
  const { importSupersplatSettings: imported } = await run<Imported>(importDocument, { space: spaceId, settings });
  return messages('settingsImported', { annotations: String(imported.annotationCount), tours: String(imported.tourCount) });
}
