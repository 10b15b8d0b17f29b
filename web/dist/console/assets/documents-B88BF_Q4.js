import{r as e}from"./Problem-BTb--0KD.js";var t=e(`
  query Viewer { viewer { id userId name email plan isOperator storage { used promised free quota } } }
`),n=e(`
  fragment Webhook on Webhook { id url events enabled failingSince disabledReason }
`),r=e(`
  fragment Account on User {
    id userId name email emailConfirmed receivesMail plan hasPassword apiKeyCreatedAt
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
  mutation ChangePassword($input: ChangePasswordInput!) { changePassword(input: $input) { user { ...Account } } }
`,[r]),s=e(`
  mutation ChangeEmail($input: ChangeEmailInput!) { changeEmail(input: $input) { user { id } } }
`),c=e(`
  mutation SendEmailConfirmation { sendEmailConfirmation { user { id } } }
`),ee=e(`
  mutation StartPasskey($input: StartPasskeyInput!) { startPasskey(input: $input) { options } }
`),l=e(`
  mutation AddPasskey($input: AddPasskeyInput!) { addPasskey(input: $input) { user { ...Account } } }
`,[r]),u=e(`
  mutation RemovePasskey($input: RemovePasskeyInput!) { removePasskey(input: $input) { user { ...Account } } }
`,[r]),d=e(`
  mutation StartOneTimeCodes($input: StartOneTimeCodesInput!) { startOneTimeCodes(input: $input) { secret qrCode } }
`),f=e(`
  mutation ConfirmOneTimeCodes($input: ConfirmOneTimeCodesInput!) {
    confirmOneTimeCodes(input: $input) { recoveryCodes user { ...Account } }
  }
`,[r]),p=e(`
  mutation EndOneTimeCodes($input: EndOneTimeCodesInput!) { endOneTimeCodes(input: $input) { user { ...Account } } }
`,[r]),m=e(`
  mutation EndSession($input: EndSessionInput!) { endSession(input: $input) { user { ...Account } } }
`,[r]),h=e(`
  mutation EndOtherSessions { endOtherSessions { user { ...Account } } }
`,[r]),g=e(`
  mutation DisconnectApp($input: DisconnectAppInput!) { disconnectApp(input: $input) { user { ...Account } } }
`,[r]),_=e(`
  mutation DisconnectIdentity($input: DisconnectIdentityInput!) { disconnectIdentity(input: $input) { user { ...Account } } }
`,[r]),v=e(`
  mutation DeleteAccount($input: DeleteAccountInput!) { deleteAccount(input: $input) { deletedUserId } }
`),y=e(`mutation ExportAccount { exportAccount { url } }`),b=e(`
  mutation CreateWebhook($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { ...Webhook } } }
`,[n]),x=e(`
  mutation UpdateWebhook($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ...Webhook } } }
`,[n]),S=e(`
  mutation RotateWebhookSecret($input: RotateWebhookSecretInput!) { rotateWebhookSecret(input: $input) { secret webhook { id } } }
`),C=e(`
  mutation TestWebhook($input: TestWebhookInput!) { testWebhook(input: $input) { delivery { id } } }
`),w=e(`
  mutation DeleteWebhook($input: DeleteWebhookInput!) { deleteWebhook(input: $input) { deletedWebhookId } }
`),T=e(`
  query WebhookLog {
    viewer { id webhooks { id deliveries(first: 20) { nodes { id event state createdAt attempts responseStatus error } } } }
  }
`),E=e(`mutation GenerateKey { generateApiKey { apiKey } }`),D=e(`fragment Picture on File { id posters { url width } }`),O=e(`
  fragment SpaceCard on Space {
    id spaceId title description privacy url visitCount createdAt changedAt version
    pictured: entities(filter: { type: ["UserModelEntity"] }, first: 1) { nodes { id file { ...Picture } } }
  }
`,[D]),k=e(`
  query Spaces($filter: SpaceFilter, $orderBy: SpaceOrder, $first: Int, $after: String, $last: Int, $before: String) {
    spaces(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...SpaceCard }
    }
  }
`,[O]),A=e(`
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
`,[O]),j=e(`
  query Versions($spaceId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    spaceVersions(spaceId: $spaceId, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { number name door restoredNumber endedAt created updated deleted }
    }
  }
`),M=e(`
  query VersionChanges($spaceId: ID!, $to: Int!) {
    spaceChanges(spaceId: $spaceId, to: $to) { totalCount nodes { target before after } }
  }
`),N=e(`
  mutation RestoreVersion($input: RestoreVersionInput!) { restoreVersion(input: $input) { noChanges } }
`),P=e(`
  mutation NameVersion($input: NameVersionInput!) { nameVersion(input: $input) { version { number name } } }
`),F=e(`
  mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id data version changedAt } } }
`),te=e(`
  query Destinations($filter: SpaceFilter) {
    spaces(filter: $filter, first: 8) { nodes { id spaceId title } }
    publicSpaces(filter: $filter, first: 8) { nodes { id spaceId title } }
  }
`),I=e(`query LeadsTo($id: ID!) { space(id: $id) { ...SpaceCard } }`,[O]),L=e(`fragment Person on User { id userId name followed }`),R=e(`
  query People {
    viewer {
      id
      followers(first: 200) { totalCount nodes { ...Person } }
      following(first: 200) { totalCount nodes { ...Person } }
    }
  }
`,[L]),z=e(`mutation Follow($input: FollowUserInput!) { followUser(input: $input) { user { ...Person } } }`,[L]),B=e(`mutation Unfollow($input: UnfollowUserInput!) { unfollowUser(input: $input) { user { ...Person } } }`,[L]),V=e(`
  query SpaceTitles($filter: SpaceFilter) { spaces(filter: $filter, first: 50) { totalCount nodes { id title } } }
`),H=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[O]),U=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[O]),W=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[O]),G=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),K=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),q=e(`
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
`,[D]),J=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[q]),Y=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[q]),X=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),Z=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),Q=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),$=e(`
  fragment JobRow on Job { id jobId type status progress message error createdAt updatedAt file { id name } }
`),ne=e(`query Jobs { jobs(first: 50) { totalCount nodes { ...JobRow } } }`,[$]),re=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[$]),ie=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[$]),ae=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),oe=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),se=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[q,$]),ce=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),le=e(`subscription JobEvents { jobs { ...JobRow } }`,[$]),ue=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[O]),de=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[q]),fe=e(`subscription NotificationEvents { notifications { id } }`);export{W as $,E as A,N as B,m as C,X as D,Y as E,P as F,V as G,c as H,fe as I,ee as J,k as K,ae as L,re as M,ne as N,J as O,I as P,F as Q,R,h as S,de as T,ue as U,S as V,A as W,B as X,C as Y,a as Z,w as _,s as a,T as at,_ as b,f as c,H as d,U as et,oe as f,G as g,Z as h,ie as i,t as it,le as j,z as k,Q as l,v as m,i as n,M as nt,o,b as p,d as q,l as r,j as rt,se as s,ce as t,x as tt,K as u,te as v,y as w,p as x,g as y,u as z};