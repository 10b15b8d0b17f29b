import{r as e}from"./Problem-BWJRDUvE.js";var t=e(`
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
`,[r]),ee=e(`
  mutation ChangeEmail($input: ChangeEmailInput!) { changeEmail(input: $input) { user { id } } }
`),l=e(`
  mutation SendEmailConfirmation { sendEmailConfirmation { user { id } } }
`),u=e(`
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
`,[A]),M=e(`
  query Space($id: ID!) {
    space(id: $id) {
      ...SpaceCard
      type
      owner { id }
      lock { name until }
      takedown { reason text }
      visitsByDay { day visits }
      entities(first: 200) {
        totalCount
        nodes { id entityId type data version createdAt changedAt file { id name size } }
      }
    }
  }
`,[A]),N=e(`
  query Versions($spaceId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    spaceVersions(spaceId: $spaceId, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { number name door restoredNumber endedAt created updated deleted }
    }
  }
`),P=e(`
  query VersionChanges($spaceId: ID!, $to: Int!) {
    spaceChanges(spaceId: $spaceId, to: $to) { totalCount nodes { target before after } }
  }
`),F=e(`
  mutation RestoreVersion($input: RestoreVersionInput!) { restoreVersion(input: $input) { noChanges } }
`),te=e(`
  mutation NameVersion($input: NameVersionInput!) { nameVersion(input: $input) { version { number name } } }
`),I=e(`
  mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id data version changedAt } } }
`),L=e(`
  query Destinations($filter: SpaceFilter) {
    spaces(filter: $filter, first: 8) { nodes { id spaceId title } }
    publicSpaces(filter: $filter, first: 8) { nodes { id spaceId title } }
  }
`),R=e(`query LeadsTo($id: ID!) { space(id: $id) { ...SpaceCard } }`,[A]),z=e(`fragment Person on User { id userId name followed }`),B=e(`
  query People {
    viewer {
      id
      followers(first: 200) { totalCount nodes { ...Person } }
      following(first: 200) { totalCount nodes { ...Person } }
    }
  }
`,[z]),V=e(`mutation Follow($input: FollowUserInput!) { followUser(input: $input) { user { ...Person } } }`,[z]),H=e(`mutation Unfollow($input: UnfollowUserInput!) { unfollowUser(input: $input) { user { ...Person } } }`,[z]),U=e(`
  query SpaceTitles($filter: SpaceFilter) { spaces(filter: $filter, first: 50) { totalCount nodes { id title } } }
`),W=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[A]),G=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[A]),K=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[A]),q=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),J=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),Y=e(`
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
`,[k]),X=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[Y]),Z=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[Y]),Q=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),ne=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),re=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),$=e(`
  fragment JobRow on Job { id jobId type status progress message error createdAt updatedAt file { id name } }
`),ie=e(`
  query Jobs($first: Int, $after: String, $last: Int, $before: String) {
    jobs(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { ...JobRow } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,[$]),ae=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[$]),oe=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[$]),se=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),ce=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),le=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[Y,$]),ue=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),de=e(`subscription JobEvents { jobs { ...JobRow } }`,[$]),fe=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[A]),pe=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[Y]),me=e(`subscription NotificationEvents { notifications { id } }`);export{a as $,O as A,s as B,g as C,Q as D,Z as E,te as F,fe as G,w as H,me as I,j as J,M as K,se as L,ae as M,ie as N,X as O,R as P,H as Q,B as R,_ as S,pe as T,l as U,F as V,o as W,u as X,p as Y,T as Z,E as _,ee as a,N as at,y as b,m as c,W as d,I as et,ce as f,q as g,ne as h,oe as i,P as it,de as j,V as k,re as l,b as m,i as n,G as nt,c as o,t as ot,S as p,U as q,d as r,C as rt,le as s,D as st,ue as t,K as tt,J as u,L as v,x as w,h as x,v as y,f as z};