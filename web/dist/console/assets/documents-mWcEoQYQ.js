import{t as e}from"./graphql-U8Vwz0ag.js";var t=e(`
  fragment OperatedAccount on Account {
    id userId email name plan spaceCount createdAt isOperator disabledAt disabledReason storage { used quota }
  }
`),n=e(`
  fragment OperatedSpace on ModeratedSpace {
    id title url privacy ownerId ownerName ownerEmail visitCount createdAt openReports
    reports { id reason text createdAt } takedown { reason text createdAt }
  }
`),r=e(`
  query OperatorAccounts($search: String, $first: Int, $after: String, $last: Int, $before: String) {
    operator {
      accounts(search: $search, first: $first, after: $after, last: $last, before: $before) {
        totalCount nodes { ...OperatedAccount } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`,[t]),i=e(`
  mutation SetAccountLimits($input: SetAccountLimitsInput!) { setAccountLimits(input: $input) { account { ...OperatedAccount } } }
`,[t]),a=e(`
  mutation DisableAccount($input: DisableAccountInput!) { disableAccount(input: $input) { account { ...OperatedAccount } } }
`,[t]),o=e(`
  mutation EnableAccount($input: EnableAccountInput!) { enableAccount(input: $input) { account { ...OperatedAccount } } }
`,[t]),s=e(`
  mutation RemoveAccount($input: RemoveAccountInput!) { removeAccount(input: $input) { deletedUserId } }
`),c=e(`
  query OperatorSpaces($search: String, $filter: ModerationFilter, $first: Int, $after: String, $last: Int, $before: String) {
    operator {
      spaces(search: $search, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
        totalCount nodes { ...OperatedSpace } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`,[n]),l=e(`query OperatorReported { operator { spaces(filter: { reported: true }, first: 1) { totalCount nodes { id } } } }`),u=e(`
  mutation TakeDownSpace($input: TakeDownSpaceInput!) { takeDownSpace(input: $input) { space { ...OperatedSpace } } }
`,[n]),d=e(`
  mutation RestoreSpace($input: RestoreSpaceInput!) { restoreSpace(input: $input) { space { ...OperatedSpace } } }
`,[n]),f=e(`
  mutation CloseReports($input: CloseReportsInput!) { closeReports(input: $input) { space { ...OperatedSpace } } }
`,[n]),p=e(`
  query OperatorServer($since: DateTime!) {
    operator {
      queues { kind state jobs oldestSeconds }
      failedFiles { id name size userId steps { step reason } }
      samples(since: $since) { at storage files accounts spaces jobsWaiting jobsRunning jobsFailed requests errors }
      settings { name help value source }
      jobs(first: 50) { nodes { id ownerEmail type status progress message step { name done total unit } error createdAt canRetry } }
    }
  }
`),m=e(`mutation RetryJob($input: RetryJobInput!) { retryJob(input: $input) { job { id status } } }`),h=e(`mutation CancelAnyJob($input: CancelAnyJobInput!) { cancelAnyJob(input: $input) { job { id status error canRetry } } }`),g=e(`mutation RetryQueue($input: RetryQueueInput!) { retryQueue(input: $input) { started } }`),_=e(`mutation RetryFile($input: RetryFileInput!) { retryFile(input: $input) { started } }`),v=e(`
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
`);export{a,s as c,_ as d,m as f,u as g,c as h,f as i,l,p as m,v as n,o,g as p,h as r,i as s,r as t,d as u};