export interface Webhook {
  id: string;
  url: string;
  events: readonly ('JOB_ENDED' | 'SPACE_PUBLISHED' | 'SPACE_DELETED' | 'ENTITY_CHANGED' | 'TEST')[];
  enabled: boolean;
  failingSince: string | null;
  disabledReason: string;
}

/** The events that a person can choose. TEST comes from the button that tests a webhook. */
export const webhookEvents = ['JOB_ENDED', 'SPACE_PUBLISHED', 'SPACE_DELETED', 'ENTITY_CHANGED'] as const;
