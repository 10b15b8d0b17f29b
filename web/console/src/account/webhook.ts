import type { ResultOf } from '../server/graphql.ts';
import type { webhookFields } from './documents.ts';

export type Webhook = ResultOf<typeof webhookFields>;

/** The events that a person can choose. TEST comes from the button that tests a webhook. */
export const webhookEvents = ['JOB_ENDED', 'SPACE_PUBLISHED', 'SPACE_DELETED', 'ENTITY_CHANGED'] as const;
