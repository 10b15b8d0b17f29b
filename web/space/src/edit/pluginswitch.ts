// The switch by which the owner lets plugins run for visitors.

import { run } from '../server/graphql.ts';
import { element } from '../ui/elements.ts';
import type { EditMessages } from './messages.ts';

const readDocument = 'query Plugins($space: ID!) { space(id: $space) { pluginsForVisitors } }';

const writeDocument = `
  mutation Plugins($space: ID!, $on: Boolean!) {
    updateSpace(input: { spaceId: $space, pluginsForVisitors: $on }) { space { pluginsForVisitors } }
  }`;

/** Returns the switch for plugins of visitors. It can be used once it shows the stored value. */
export function pluginSwitch(spaceId: string, messages: EditMessages): HTMLElement {
  const box = element('input', { type: 'checkbox', disabled: '' });
  const problem = element('span', { role: 'status' });
  void run<{ space: { pluginsForVisitors: boolean } | null }>(readDocument, { space: spaceId }).then(
    ({ space }) => {
      box.checked = space?.pluginsForVisitors ?? false;
      box.disabled = false;
    },
    () => {},
  ); // it stays disabled
  box.addEventListener('change', async () => {
    const on = box.checked;
    problem.textContent = '';
    try {
      await run(writeDocument, { space: spaceId, on });
    } catch {
      box.checked = !on;
      problem.textContent = messages('pluginsNotSaved');
    }
  });
  return element('div', {}, element('label', { class: 'switch' }, box, messages('pluginsForVisitors')), problem);
}
