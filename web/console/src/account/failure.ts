// Why a delivery failed, and why the server disabled a webhook, in the language of the console. What
// an earlier version stored, or a newer server has added, is shown by its English sentence.

import { isKey, text } from '../i18n.svelte.ts';
import type { ResultOf } from '../server/graphql.ts';
import type { webhookLogQuery } from './documents.ts';
import type { Webhook } from './webhook.ts';

type Webhooks = NonNullable<NonNullable<ResultOf<typeof webhookLogQuery>['viewer']>['webhooks']>;
type Delivery = Webhooks[number]['deliveries']['nodes'][number];

/** Returns why the last attempt failed; '' if it did not. */
export function errorText({ failure, error }: Pick<Delivery, 'failure' | 'error'>): string {
  return (failure && failureText(failure)) ?? error;
}

/** Returns why the server disabled the webhook; '' if its owner did. */
export function disabledText({
  disabledCause,
  lastFailure,
  disabledReason,
}: Pick<Webhook, 'disabledCause' | 'lastFailure' | 'disabledReason'>): string {
  const key = `webhooks.disabled.${disabledCause ?? ''}`;
  const error = lastFailure ? failureText(lastFailure) : '';
  return isKey(key) && error !== undefined ? text(key, { error }) : disabledReason;
}

/** Returns the failure in words; undefined for a reason without a text. */
function failureText({ reason, status, seconds }: NonNullable<Delivery['failure']>): string | undefined {
  const key: string = `webhooks.failure.${reason}`;
  return isKey(key) ? text(key, { status: String(status), seconds: seconds ?? 0 }) : undefined;
}
