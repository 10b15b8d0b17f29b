import{r as e}from"./Problem-0h1cOf69.js";var t=e(`
  query Viewer { viewer { id userId name email plan isOperator storage { used promised free quota } } }
`),n=e(`
  fragment Account on User {
    id userId name email emailConfirmed receivesMail plan hasPassword apiKeyCreatedAt
    sessions { id current userAgent network createdAt seenAt }
    passkeys { id name createdAt usedAt }
    oneTimeCodes { enabledAt recoveryCodesLeft }
    apps { id name hosts connectedAt }
    identities { issuer connectedAt }
  }
`),r=e(`
  query Account($after: String) {
    viewer {
      ...Account
      securityEvents(first: 20, after: $after) {
        pageInfo { hasNextPage endCursor } nodes { id type door address detail createdAt }
      }
    }
  }
`,[n]),i=e(`
  mutation UpdateAccount($input: UpdateAccountInput!) { updateAccount(input: $input) { user { id name } } }
`),ee=e(`
  mutation ChangePassword($input: ChangePasswordInput!) { changePassword(input: $input) { user { ...Account } } }
`,[n]),a=e(`
  mutation ChangeEmail($input: ChangeEmailInput!) { changeEmail(input: $input) { user { id } } }
`),o=e(`
  mutation SendEmailConfirmation { sendEmailConfirmation { user { id } } }
`),s=e(`
  mutation StartPasskey($input: StartPasskeyInput!) { startPasskey(input: $input) { options } }
`),c=e(`
  mutation AddPasskey($input: AddPasskeyInput!) { addPasskey(input: $input) { user { ...Account } } }
`,[n]),l=e(`
  mutation RemovePasskey($input: RemovePasskeyInput!) { removePasskey(input: $input) { user { ...Account } } }
`,[n]),u=e(`
  mutation StartOneTimeCodes($input: StartOneTimeCodesInput!) { startOneTimeCodes(input: $input) { secret qrCode } }
`),d=e(`
  mutation ConfirmOneTimeCodes($input: ConfirmOneTimeCodesInput!) {
    confirmOneTimeCodes(input: $input) { recoveryCodes user { ...Account } }
  }
`,[n]),f=e(`
  mutation EndOneTimeCodes($input: EndOneTimeCodesInput!) { endOneTimeCodes(input: $input) { user { ...Account } } }
`,[n]),p=e(`
  mutation EndSession($input: EndSessionInput!) { endSession(input: $input) { user { ...Account } } }
`,[n]),m=e(`
  mutation EndOtherSessions { endOtherSessions { user { ...Account } } }
`,[n]),h=e(`
  mutation DisconnectApp($input: DisconnectAppInput!) { disconnectApp(input: $input) { user { ...Account } } }
`,[n]),g=e(`
  mutation DisconnectIdentity($input: DisconnectIdentityInput!) { disconnectIdentity(input: $input) { user { ...Account } } }
`,[n]),_=e(`
  mutation DeleteAccount($input: DeleteAccountInput!) { deleteAccount(input: $input) { deletedUserId } }
`),v=e(`mutation ExportAccount { exportAccount { url } }`),y=e(`mutation GenerateKey { generateApiKey { apiKey } }`),b=e(`fragment Picture on File { id posters { url width } }`),x=e(`
  fragment SpaceCard on Space {
    id spaceId title description privacy url visitCount createdAt changedAt version
    pictured: entities(filter: { type: ["UserModelEntity"] }, first: 1) { nodes { id file { ...Picture } } }
  }
`,[b]),S=e(`
  query Spaces($filter: SpaceFilter, $orderBy: SpaceOrder, $first: Int, $after: String, $last: Int, $before: String) {
    spaces(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...SpaceCard }
    }
  }
`,[x]),C=e(`
  query Space($id: ID!) {
    space(id: $id) {
      ...SpaceCard
      type
      owner { id }
      lock { name until }
      visitsByDay { day visits }
      entities(first: 200) {
        totalCount
        nodes { id entityId type data version createdAt changedAt file { id name size } }
      }
    }
  }
`,[x]),w=e(`
  query Versions($spaceId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    spaceVersions(spaceId: $spaceId, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { number name door restoredNumber endedAt created updated deleted }
    }
  }
`),T=e(`
  query VersionChanges($spaceId: ID!, $to: Int!) {
    spaceChanges(spaceId: $spaceId, to: $to) { totalCount nodes { target before after } }
  }
`),E=e(`
  mutation RestoreVersion($input: RestoreVersionInput!) { restoreVersion(input: $input) { noChanges } }
`),D=e(`
  mutation NameVersion($input: NameVersionInput!) { nameVersion(input: $input) { version { number name } } }
`),O=e(`
  mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id data version changedAt } } }
`),k=e(`
  query Destinations($filter: SpaceFilter) {
    spaces(filter: $filter, first: 8) { nodes { id spaceId title } }
    publicSpaces(filter: $filter, first: 8) { nodes { id spaceId title } }
  }
`),A=e(`query LeadsTo($id: ID!) { space(id: $id) { ...SpaceCard } }`,[x]),j=e(`fragment Person on User { id userId name followed }`),M=e(`
  query People {
    viewer {
      id
      followers(first: 200) { totalCount nodes { ...Person } }
      following(first: 200) { totalCount nodes { ...Person } }
    }
  }
`,[j]),N=e(`mutation Follow($input: FollowUserInput!) { followUser(input: $input) { user { ...Person } } }`,[j]),P=e(`mutation Unfollow($input: UnfollowUserInput!) { unfollowUser(input: $input) { user { ...Person } } }`,[j]),F=e(`
  query SpaceTitles($filter: SpaceFilter) { spaces(filter: $filter, first: 50) { totalCount nodes { id title } } }
`),I=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[x]),L=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[x]),R=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[x]),z=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),B=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),V=e(`
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
`,[b]),H=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[V]),U=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[V]),W=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),G=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),K=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),q=e(`
  fragment JobRow on Job { id jobId type status progress message error createdAt updatedAt file { id name } }
`),J=e(`query Jobs { jobs(first: 50) { totalCount nodes { ...JobRow } } }`,[q]),Y=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[q]),X=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[q]),Z=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),Q=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),$=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[V,q]),te=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),ne=e(`subscription JobEvents { jobs { ...JobRow } }`,[q]),re=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[x]),ie=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[V]),ae=e(`subscription NotificationEvents { notifications { id } }`);export{t as $,Y as A,re as B,ie as C,N as D,H as E,Z as F,s as G,F as H,M as I,O as J,P as K,l as L,A as M,D as N,y as O,ae as P,w as Q,E as R,v as S,W as T,S as U,C as V,u as W,L as X,R as Y,T as Z,h as _,a,m as b,d as c,I as d,Q as f,k as g,z as h,X as i,J as j,ne as k,K as l,G as m,r as n,ee as o,_ as p,i as q,c as r,$ as s,te as t,B as u,g as v,U as w,p as x,f as y,o as z};