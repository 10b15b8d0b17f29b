import{t as e}from"./graphql-U8Vwz0ag.js";var t=e(`
  query Viewer { viewer { id userId name picture email plan isOperator storage { used promised free quota } } }
`),n=e(`
  fragment SpaceCard on Space {
    id spaceId title description licence privacy type url visitCount createdAt changedAt version
    posters { url width } turntable { url }
  }
`),r=e(`
  query Overview {
    viewer { id userId name storage { used quota } followers(first: 1) { totalCount } }
    spaces(first: 20, orderBy: { field: VISIT_COUNT, direction: DESC }) { totalCount nodes { id spaceId title privacy visitCount visitsByDay { day visits } } }
    jobs(first: 20) { nodes { id status updatedAt } }
  }
`),i=e(`
  query Spaces($filter: SpaceFilter, $orderBy: SpaceOrder, $first: Int, $after: String, $last: Int, $before: String) {
    spaces(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...SpaceCard }
    }
  }
`,[n]),a=e(`fragment EntityRow on Entity { id entityId type data version changedAt file { id name size facts { __typename } } }`),o=e(`
  fragment SpaceContents on Space {
    lock { name until }
    takedown { reason text }
    entities(first: 200) { totalCount nodes { ...EntityRow } }
  }
`,[a]),s=e(`
  query Space($id: ID!) {
    space(id: $id) {
      ...SpaceCard ...SpaceContents type owner { id }
      shareLinks { shareLinkId name state hasPassword allowsDownload allowsMeasuring endsAt maxVisits visits }
    }
  }
`,[n,o]),c=e(`
  query Versions($spaceId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    spaceVersions(spaceId: $spaceId, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { number name door restoredNumber endedAt created updated deleted }
    }
  }
`),l=e(`
  query VersionChanges($spaceId: ID!, $to: Int!) {
    spaceChanges(spaceId: $spaceId, to: $to) { totalCount nodes { target beforeType before afterType after } }
  }
`),u=e(`
  mutation RestoreVersion($input: RestoreVersionInput!) { restoreVersion(input: $input) { noChanges } }
`),d=e(`
  mutation NameVersion($input: NameVersionInput!) { nameVersion(input: $input) { version { number name } } }
`),f=e(`mutation DeleteEntity($input: DeleteEntityInput!) { deleteEntity(input: $input) { deletedEntityId } }`),p=e(`
  mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id data version changedAt } } }
`),m=e(`
  query Destinations($filter: SpaceFilter) {
    spaces(filter: $filter, first: 8) { nodes { id spaceId title posters { url width } } }
    publicSpaces(filter: $filter, first: 8) { nodes { id spaceId title posters { url width } } }
  }
`),h=e(`
  query OwnPictures($after: String) {
    files(filter: { format: [JPEG, PNG, WEBP] }, first: 12, after: $after) {
      pageInfo { hasNextPage endCursor } nodes { id name url posters { url width } }
    }
  }
`),g=e(`query LeadsTo($id: ID!) { space(id: $id) { ...SpaceCard } }`,[n]),_=e(`fragment Person on User { id userId name followed }`),v=e(`
  query People {
    viewer {
      id
      followers(first: 200) { totalCount nodes { ...Person } }
      following(first: 200) { totalCount nodes { ...Person } }
    }
  }
`,[_]),y=e(`mutation Follow($input: FollowUserInput!) { followUser(input: $input) { user { ...Person } } }`,[_]),b=e(`mutation Unfollow($input: UnfollowUserInput!) { unfollowUser(input: $input) { user { ...Person } } }`,[_]),x=e(`
  query SpaceTitles($filter: SpaceFilter) { spaces(filter: $filter, first: 50) { totalCount nodes { id title } } }
`),S=e(`query FileAddress($id: ID!) { file(id: $id) { id readUrl } }`),C=e(`mutation UpdateFile($input: UpdateFileInput!) { updateFile(input: $input) { file { id } } }`),w=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[n]),T=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[n]),E=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[n]),D=e(`
  mutation CreateShareLink($input: CreateShareLinkInput!) { createShareLink(input: $input) { url } }
`),O=e(`
  mutation RevokeShareLink($input: RevokeShareLinkInput!) { revokeShareLink(input: $input) { shareLink { state } } }
`),k=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),A=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),j=e(`
  fragment FileCard on File {
    id resourceKey name contentType size derivedBytes createdAt posters { url width }
    preparation { step state message }
    captures { name size splats }
    start { doubtfulScale scene }
    facts {
      __typename format version
      ... on GaussianFacts { splats levels bounds { min max } }
      ... on MeshFacts { vertices triangles bounds { min max } }
      ... on ImageFacts { width height }
      ... on DamagedFacts { fault }
    }
    usedBy(first: 20) { totalCount nodes { id space { id spaceId title url } } }
  }
`),M=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[j]),N=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[j]),P=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),F=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),I=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),L=e(`
  mutation ExtractCapture($input: ExtractCaptureInput!) { extractCapture(input: $input) { job { id } } }
`),R=e(`
  fragment JobRow on Job {
    id jobId type status progress message step { name done total unit } error createdAt updatedAt file { id name }
  }
`),z=e(`
  query Jobs($first: Int, $after: String, $last: Int, $before: String) {
    jobs(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { ...JobRow } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,[R]),B=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[R]),V=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[R]),H=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),U=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),W=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[j,R]),G=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),K=e(`
  subscription EntityEvents($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceSnapshot { space { ...SpaceCard ...SpaceContents } }
      ... on SpaceChanged { space { ...SpaceCard lock { name until } takedown { reason text } } }
      ... on EntityCreated { space { id posters { url width } turntable { url } } }
      ... on EntityChanged { space { id posters { url width } turntable { url } } entity { ...EntityRow } }
      ... on EntityDeleted { space { id posters { url width } turntable { url } } deletedEntityId }
    }
  }
`,[n,o,a]),q=e(`subscription JobEvents { jobs { ...JobRow } }`,[R]),J=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[n]),Y=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[j]),X=e(`subscription NotificationEvents { notifications { id } }`);export{v as A,E as B,z as C,H as D,X as E,x as F,l as H,i as I,b as L,O as M,J as N,r as O,s as P,p as R,B as S,d as T,c as U,T as V,t as W,N as _,A as a,y as b,U as c,k as d,m as f,Y as g,S as h,I as i,u as j,h as k,f as l,L as m,V as n,D as o,K as p,W as r,w as s,G as t,F as u,P as v,g as w,q as x,M as y,C as z};