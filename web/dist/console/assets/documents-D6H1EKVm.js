import{r as e}from"./Problem-C0vUae2k.js";var t=e(`
  query Viewer { viewer { id userId name picture email plan isOperator storage { used promised free quota } } }
`),n=e(`
  fragment Webhook on Webhook { id url events enabled failingSince disabledReason }
`),r=e(`
  fragment Account on User {
    id userId name picture email emailConfirmed receivesMail plan hasPassword apiKeyCreatedAt
    sessions { id current userAgent network createdAt seenAt }
    passkeys { id name createdAt usedAt }
    oneTimeCodes { enabledAt recoveryCodesLeft }
    apps { id name hosts connectedAt }
    identities { issuer connectedAt }
    webhooks { ...Webhook }
  }
`,[n]),i=e(`
  query Account($after: String) {
    viewer {
      ...Account
      securityEvents(first: 20, after: $after) {
        pageInfo { hasNextPage endCursor } nodes { id type door address detail createdAt }
      }
    }
  }
`,[r]),a=e(`
  mutation UpdateAccount($input: UpdateAccountInput!) { updateAccount(input: $input) { user { id name } } }
`),o=e(`
  mutation SetAccountPicture($input: SetAccountPictureInput!) { setAccountPicture(input: $input) { user { id picture } } }
`),s=e(`
  mutation RemoveAccountPicture { removeAccountPicture { user { id picture } } }
`),c=e(`
  mutation ChangePassword($input: ChangePasswordInput!) { changePassword(input: $input) { user { ...Account } } }
`,[r]),l=e(`
  mutation ChangeEmail($input: ChangeEmailInput!) { changeEmail(input: $input) { user { id } } }
`),u=e(`
  mutation SendEmailConfirmation { sendEmailConfirmation { user { id } } }
`),ee=e(`
  mutation StartPasskey($input: StartPasskeyInput!) { startPasskey(input: $input) { options } }
`),d=e(`
  mutation AddPasskey($input: AddPasskeyInput!) { addPasskey(input: $input) { user { ...Account } } }
`,[r]),f=e(`
  mutation RemovePasskey($input: RemovePasskeyInput!) { removePasskey(input: $input) { user { ...Account } } }
`,[r]),p=e(`
  mutation StartOneTimeCodes($input: StartOneTimeCodesInput!) { startOneTimeCodes(input: $input) { secret qrCode } }
`),m=e(`
  mutation ConfirmOneTimeCodes($input: ConfirmOneTimeCodesInput!) {
    confirmOneTimeCodes(input: $input) { recoveryCodes user { ...Account } }
  }
`,[r]),h=e(`
  mutation EndOneTimeCodes($input: EndOneTimeCodesInput!) { endOneTimeCodes(input: $input) { user { ...Account } } }
`,[r]),g=e(`
  mutation EndSession($input: EndSessionInput!) { endSession(input: $input) { user { ...Account } } }
`,[r]),_=e(`
  mutation EndOtherSessions { endOtherSessions { user { ...Account } } }
`,[r]),v=e(`
  mutation DisconnectApp($input: DisconnectAppInput!) { disconnectApp(input: $input) { user { ...Account } } }
`,[r]),y=e(`
  mutation DisconnectIdentity($input: DisconnectIdentityInput!) { disconnectIdentity(input: $input) { user { ...Account } } }
`,[r]),b=e(`
  mutation DeleteAccount($input: DeleteAccountInput!) { deleteAccount(input: $input) { deletedUserId } }
`),x=e(`mutation ExportAccount { exportAccount { url } }`),S=e(`
  mutation CreateWebhook($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { ...Webhook } } }
`,[n]),C=e(`
  mutation UpdateWebhook($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ...Webhook } } }
`,[n]),w=e(`
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) { rotateWebhookSecret(input: $input) { secret webhook { id } } }
`),T=e(`
  mutation TestWebhook($input: TestWebhookInput!) { testWebhook(input: $input) { delivery { id } } }
`),E=e(`
  mutation DeleteWebhook($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }
`),D=e(`
  query WebhookLog {
    viewer { id webhooks { id deliveries(first: 20) { nodes { id event state createdAt attempts responseStatus error } } } }
  }
`),O=e(`mutation GenerateKey { generateApiKey { apiKey } }`),k=e(`fragment Picture on File { id posters { url width } }`),A=e(`
  fragment SpaceCard on Space {
    id spaceId title description privacy url visitCount createdAt changedAt version
    pictured: entities(filter: { type: ["UserModelEntity"] }, first: 1) { nodes { id file { ...Picture } } }
  }
`,[k]),j=e(`
  query Spaces($filter: SpaceFilter, $orderBy: SpaceOrder, $first: Int, $after: String, $last: Int, $before: String) {
    spaces(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...SpaceCard }
    }
  }
`,[A]),M=e(`fragment EntityRow on Entity { id entityId type data version changedAt file { id name size } }`),N=e(`
  fragment SpaceContents on Space {
    lock { name until }
    takedown { reason text }
    entities(first: 200) { totalCount nodes { ...EntityRow } }
  }
`,[M]),P=e(`
  query Space($id: ID!) {
    space(id: $id) { ...SpaceCard ...SpaceContents type owner { id } visitsByDay { day visits } }
  }
`,[A,N]),F=e(`
  query Versions($spaceId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    spaceVersions(spaceId: $spaceId, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { number name door restoredNumber endedAt created updated deleted }
    }
  }
`),I=e(`
  query VersionChanges($spaceId: ID!, $to: Int!) {
    spaceChanges(spaceId: $spaceId, to: $to) { totalCount nodes { target before after } }
  }
`),L=e(`
  mutation RestoreVersion($input: RestoreVersionInput!) { restoreVersion(input: $input) { noChanges } }
`),te=e(`
  mutation NameVersion($input: NameVersionInput!) { nameVersion(input: $input) { version { number name } } }
`),R=e(`mutation DeleteEntity($input: DeleteEntityInput!) { deleteEntity(input: $input) { deletedEntityId } }`),z=e(`
  mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id data version changedAt } } }
`),B=e(`
  query Destinations($filter: SpaceFilter) {
    spaces(filter: $filter, first: 8) { nodes { id spaceId title } }
    publicSpaces(filter: $filter, first: 8) { nodes { id spaceId title } }
  }
`),V=e(`query LeadsTo($id: ID!) { space(id: $id) { ...SpaceCard } }`,[A]),H=e(`fragment Person on User { id userId name followed }`),U=e(`
  query People {
    viewer {
      id
      followers(first: 200) { totalCount nodes { ...Person } }
      following(first: 200) { totalCount nodes { ...Person } }
    }
  }
`,[H]),W=e(`mutation Follow($input: FollowUserInput!) { followUser(input: $input) { user { ...Person } } }`,[H]),G=e(`mutation Unfollow($input: UnfollowUserInput!) { unfollowUser(input: $input) { user { ...Person } } }`,[H]),K=e(`
  query SpaceTitles($filter: SpaceFilter) { spaces(filter: $filter, first: 50) { totalCount nodes { id title } } }
`),q=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[A]),J=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[A]),Y=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[A]),X=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),Z=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),Q=e(`
  fragment FileCard on File {
    id resourceKey name contentType size derivedBytes createdAt ...Picture
    preparation { step state message }
    facts {
      __typename format version
      ... on GaussianFacts { splats levels bounds { min max } }
      ... on MeshFacts { vertices triangles bounds { min max } }
      ... on ImageFacts { width height }
      ... on DamagedFacts { fault }
    }
    usedBy(first: 20) { totalCount nodes { id space { id title } } }
  }
`,[k]),ne=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[Q]),re=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[Q]),ie=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),ae=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),oe=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),$=e(`
  fragment JobRow on Job { id jobId type status progress message error createdAt updatedAt file { id name } }
`),se=e(`
  query Jobs($first: Int, $after: String, $last: Int, $before: String) {
    jobs(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { ...JobRow } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,[$]),ce=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[$]),le=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[$]),ue=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),de=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),fe=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[Q,$]),pe=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),me=e(`
  subscription EntityEvents($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceSnapshot { space { ...SpaceCard ...SpaceContents } }
      ... on SpaceChanged { space { id lock { name until } takedown { reason text } } }
      ... on EntityCreated { space { id } }
      ... on EntityChanged { entity { ...EntityRow } }
      ... on EntityDeleted { space { id } deletedEntityId }
    }
  }
`,[A,N,M]),he=e(`subscription JobEvents { jobs { ...JobRow } }`,[$]),ge=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[A]),_e=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[Q]),ve=e(`subscription NotificationEvents { notifications { id } }`);export{T as $,ne as A,U as B,_ as C,_e as D,x as E,se as F,u as G,s as H,V as I,P as J,o as K,te as L,O as M,he as N,re as O,ce as P,ee as Q,ve as R,h as S,me as T,L as U,f as V,w as W,j as X,K as Y,p as Z,X as _,l as a,C as at,v as b,m as c,t as ct,q as d,G as et,de as f,ae as g,R as h,le as i,J as it,W as j,ie as k,oe as l,D as lt,b as m,i as n,z as nt,c as o,I as ot,S as p,ge as q,d as r,Y as rt,fe as s,F as st,pe as t,a as tt,Z as u,E as v,g as w,y as x,B as y,ue as z};