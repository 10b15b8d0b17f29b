// Reports of spaces to the operators of the server.

import { run } from './graphql.ts';

/** The reasons in the order of the form, as the schema names them. */
export const reportReasons = ['COPYRIGHT', 'PERSONAL', 'ILLEGAL', 'HARMFUL', 'SPAM', 'OTHER'] as const;

export type ReportReason = (typeof reportReasons)[number];

const document = `mutation Report($id: ID!, $reason: ReportReason!, $text: String) {
  reportSpace(input: { spaceId: $id, reason: $reason, text: $text }) { reported }
}`;

/**
 * Reports a space. It returns false where the server did not add the report: the visitor has
 * reported the space within a day, or a limit of reports is reached.
 */
export async function reportSpace(id: string, reason: ReportReason, text: string): Promise<boolean> {
  const { reportSpace: payload } = await run<{ reportSpace: { reported: boolean } | null }>(document, { id, reason, text });
  return payload?.reported ?? false;
}
