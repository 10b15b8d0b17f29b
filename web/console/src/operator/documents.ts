// The operations of operators. They are loaded with their views.

import { graphql } from '../server/graphql.ts';

const account = graphql(`
  fragment OperatedAccount on Account {
    id userId email name plan spaceCount createdAt isOperator disabledAt disabledReason storage { used quota }
  }
`);
const space = graphql(`
  fragment OperatedSpace on ModeratedSpace {
    id title url privacy ownerId ownerName ownerEmail visitCount createdAt openReports
    reports { id reason text createdAt } takedown { reason text createdAt }
  }
`);

export const accountsQuery = graphql(
  `
  query OperatorAccounts($search: String, $first: Int, $after: String, $last: Int, $before: String) {
    operator {
      accounts(search: $search, first: $first, after: $after, last: $last, before: $before) {
        totalCount nodes { ...OperatedAccount } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`,
  [account],
);
export const limitsMutation = graphql(
  `
  mutation SetAccountLimits($input: SetAccountLimitsInput!) { setAccountLimits(input: $input) { account { ...OperatedAccount } } }
`,
  [account],
);
export const disableMutation = graphql(
  `
  mutation DisableAccount($input: DisableAccountInput!) { disableAccount(input: $input) { account { ...OperatedAccount } } }
`,
  [account],
);
export const enableMutation = graphql(
  `
  mutation EnableAccount($input: EnableAccountInput!) { enableAccount(input: $input) { account { ...OperatedAccount } } }
`,
  [account],
);
export const removeMutation = graphql(`
  mutation RemoveAccount($input: RemoveAccountInput!) { removeAccount(input: $input) { deletedUserId } }
`);

export const spacesQuery = graphql(
  `
  query OperatorSpaces($search: String, $filter: ModerationFilter, $first: Int, $after: String, $last: Int, $before: String) {
    operator {
      spaces(search: $search, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
        totalCount nodes { ...OperatedSpace } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`,
  [space],
);
/** How many spaces have open reports. */
export const reportedQuery = graphql(
  'query OperatorReported { operator { spaces(filter: { reported: true }, first: 1) { totalCount nodes { id } } } }',
);
export const takeDownMutation = graphql(
  `
  mutation TakeDownSpace($input: TakeDownSpaceInput!) { takeDownSpace(input: $input) { space { ...OperatedSpace } } }
`,
  [space],
);
export const restoreMutation = graphql(
  `
  mutation RestoreSpace($input: RestoreSpaceInput!) { restoreSpace(input: $input) { space { ...OperatedSpace } } }
`,
  [space],
);
export const closeReportsMutation = graphql(
  `
  mutation CloseReports($input: CloseReportsInput!) { closeReports(input: $input) { space { ...OperatedSpace } } }
`,
  [space],
);

export const serverQuery = graphql(`
  query OperatorServer($since: DateTime!) {
    operator {
      queues { kind state jobs oldestSeconds }
      failedFiles { id name size userId steps { step reason } }
      samples(since: $since) { at storage files accounts spaces jobsWaiting jobsRunning jobsFailed requests errors }
      settings { name help value source }
      jobs(first: 50) { nodes { id ownerEmail type status progress message step { name done total unit } error createdAt canRetry } }
    }
  }
`);
export const retryJobMutation = graphql('mutation RetryJob($input: RetryJobInput!) { retryJob(input: $input) { job { id status } } }');
export const cancelAnyJobMutation = graphql(
  'mutation CancelAnyJob($input: CancelAnyJobInput!) { cancelAnyJob(input: $input) { job { id status error canRetry } } }',
);
export const retryQueueMutation = graphql('mutation RetryQueue($input: RetryQueueInput!) { retryQueue(input: $input) { started } }');
export const retryFileMutation = graphql('mutation RetryFile($input: RetryFileInput!) { retryFile(input: $input) { started } }');

export const auditQuery = graphql(`
  query OperatorAudit($first: Int, $after: String, $last: Int, $before: String) {
    operator {
      auditTrail(first: $first, after: $after, last: $last, before: $before) {
        nodes {
          id type userId userEmail actorEmail door address title reason takedownReason changes { field before after } detail createdAt
        }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`);
