import{t as e}from"./graphql-3ze8iKuY.js";var t=e(`
  query Viewer { viewer { id userId name picture email plan isOperator storage { used promised free quota } } }
`),n=e(`
  fragment SpaceCard on Space {
    id spaceId title description licence privacy type url visitCount createdAt changedAt version
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
    space(id: $id) {
      ...SpaceCard ...SpaceContents type owner { id } visitsByDay { day visits }
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
`),S=e(`mutation UpdateFile($input: UpdateFileInput!) { updateFile(input: $input) { file { id } } }`),C=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[n]),w=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[n]),T=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[n]),E=e(`
  mutation CreateShareLink($input: CreateShareLinkInput!) { createShareLink(input: $input) { url } }
`),D=e(`
  mutation RevokeShareLink($input: RevokeShareLinkInput!) { revokeShareLink(input: $input) { shareLink { state } } }
`),O=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),k=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),A=e(`
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
`),j=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[A]),M=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[A]),N=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),P=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),F=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),I=e(`
  mutation ExtractCapture($input: ExtractCaptureInput!) { extractCapture(input: $input) { job { id } } }
`),L=e(`
  fragment JobRow on Job {
    id jobId type status progress message step { name done total unit } error createdAt updatedAt file { id name }
  }
`),R=e(`
  query Jobs($first: Int, $after: String, $last: Int, $before: String) {
    jobs(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { ...JobRow } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,[L]),z=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[L]),B=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[L]),V=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),H=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),U=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[A,L]),W=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),G=e(`
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
`,[n,o,a]),K=e(`subscription JobEvents { jobs { ...JobRow } }`,[L]),q=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[n]),J=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[A]),Y=e(`subscription NotificationEvents { notifications { id } }`);export{u as A,w as B,g as C,r as D,V as E,i as F,c as H,b as I,p as L,q as M,s as N,h as O,x as P,S as R,R as S,Y as T,t as U,l as V,N as _,k as a,K as b,H as c,O as d,m as f,M as g,J as h,F as i,D as j,v as k,f as l,I as m,B as n,E as o,G as p,U as r,C as s,W as t,P as u,j as v,d as w,z as x,y,T as z};