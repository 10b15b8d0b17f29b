/** A webhook as the account shows it. */
export interface Webhook {
  id: string;
  url: string;
  events: readonly ('JOB_ENDED' | 'SPACE_PUBLISHED' | 'SPACE_DELETED' | 'ENTITY_CHANGED' | 'TEST')[];
  enabled: boolean;
  failingSince: string | null;
  disabledReason: string;
}

/** The events that a webhook can be for. */
export const webhookEvents = ['JOB_ENDED', 'SPACE_PUBLISHED', 'SPACE_DELETED', 'ENTITY_CHANGED'] as const;
