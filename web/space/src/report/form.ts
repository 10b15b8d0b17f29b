// The form that reports a space to the operators of the server.

import { ServerError } from '../server/graphql.ts';
import { reportReasons, reportSpace } from '../server/report.ts';
import type { ReportReason } from '../server/report.ts';
import { button, element } from '../ui/elements.ts';
import { loadReportMessages } from './messages.ts';
import type { ReportKey, ReportMessages } from './messages.ts';

/** The longest text that the server takes, in characters. */
const maxText = 1000;

/** Opens the form for a space; the focus returns to where it was when the form closes. */
export async function openReport(scene: HTMLElement, spaceId: string): Promise<void> {
  const messages = await loadReportMessages(scene.dataset['language'] ?? 'en');
  if (scene.querySelector('dialog[open]')) return;
  const reason = element(
    'select',
    { id: 'report-reason', required: '' },
    element('option', { value: '' }, messages('choose')),
    ...reportReasons.map((one) => element('option', { value: one }, messages(one))),
  );
  const text = element('textarea', { id: 'report-text', rows: '4' });
  text.maxLength = maxText;
  // "Another reason" says nothing without a text.
  reason.addEventListener('change', () => {
    text.required = reason.value === 'OTHER';
  });
  const result = element('p', { role: 'status' });
  const send = element('button', { type: 'submit' }, messages('send'));
  const form = element(
    'form',
    {},
    element('p', {}, messages('text')),
    element('label', { for: reason.id }, messages('reason')),
    reason,
    element('label', { for: text.id }, messages('details')),
    text,
  );
  const close = button(messages('cancel'), () => dialog.close(), { class: 'second' });
  const dialog = element(
    'dialog',
    { class: 'report', 'aria-labelledby': 'report-title' },
    element('h2', { id: 'report-title' }, messages('title')),
    form,
    result,
    element('div', { class: 'decision' }, send, close),
  );
  form.id = 'report-form';
  send.setAttribute('form', form.id);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send.disabled = true;
    void reportSpace(spaceId, reason.value as ReportReason, text.value.trim()).then(
      (added) => {
        result.textContent = messages(added ? 'sent' : 'known');
        form.remove();
        send.remove();
        close.textContent = messages('close');
        close.focus();
      },
      (error: unknown) => {
        result.textContent = explain(messages, error);
        send.disabled = false;
        send.focus();
      },
    );
  });
  dialog.addEventListener('close', () => dialog.remove());
  scene.append(dialog);
  dialog.showModal();
}

/** Returns why a report was not sent, and what to do. */
function explain(messages: ReportMessages, error: unknown): string {
  if (!(error instanceof ServerError)) return messages('failed');
  if (error.code === 'RATE_LIMITED') {
    return messages('limited', { seconds: String(error.extensions['retryAfterSeconds'] ?? 60) });
  }
  const key: ReportKey = error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN' ? 'gone' : 'failed';
  return messages(key);
}
