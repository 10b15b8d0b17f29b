import{t as e}from"./graphql-CxWlwmfT.js";var t=e(`
  query Viewer { viewer { id userId name picture email plan isOperator storage { used promised free quota } } }
`),n=e(`
  fragment SpaceCard on Space {
    id spaceId title description privacy type url visitCount createdAt changedAt version
    posters { url width }
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
    space(id: $id) { ...SpaceCard ...SpaceContents type owner { id } visitsByDay { day visits } }
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
`),S=e(`mutation UpdateFile($input: UpdateFileInput!) { updateFile(input: $input) { file { id } } }`),C=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[n]),w=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[n]),T=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[n]),E=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),D=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),O=e(`
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
`),k=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[O]),A=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[O]),j=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),M=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),N=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),P=e(`
  mutation ExtractCapture($input: ExtractCaptureInput!) { extractCapture(input: $input) { job { id } } }
`),F=e(`
  fragment JobRow on Job {
    id jobId type status progress message step { name done total unit } error createdAt updatedAt file { id name }
  }
`),I=e(`
  query Jobs($first: Int, $after: String, $last: Int, $before: String) {
    jobs(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { ...JobRow } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,[F]),L=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[F]),R=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[F]),z=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),B=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),V=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[O,F]),H=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),U=e(`
  subscription EntityEvents($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceSnapshot { space { ...SpaceCard ...SpaceContents } }
      ... on SpaceChanged { space { ...SpaceCard lock { name until } takedown { reason text } } }
      ... on EntityCreated { space { id posters { url width } } }
      ... on EntityChanged { space { id posters { url width } } entity { ...EntityRow } }
      ... on EntityDeleted { space { id posters { url width } } deletedEntityId }
    }
  }
`,[n,o,a]),W=e(`subscription JobEvents { jobs { ...JobRow } }`,[F]),G=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[n]),K=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[O]),q=e(`subscription NotificationEvents { notifications { id } }`);export{G as A,c as B,d as C,h as D,r as E,p as F,S as I,T as L,x as M,i as N,v as O,b as P,w as R,g as S,z as T,t as V,k as _,D as a,L as b,f as c,m as d,U as f,j as g,A as h,N as i,s as j,u as k,M as l,K as m,R as n,C as o,P as p,V as r,B as s,H as t,E as u,y as v,q as w,I as x,W as y,l as z};