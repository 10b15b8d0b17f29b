import{t as e}from"./graphql-Dw49hRmV.js";var t=e(`
  query Viewer { viewer { id userId name picture email plan isOperator storage { used promised free quota } } }
`),n=e(`
  fragment SpaceCard on Space {
    id spaceId title description privacy url visitCount createdAt changedAt version
    posters { url width }
  }
`),r=e(`
  query Spaces($filter: SpaceFilter, $orderBy: SpaceOrder, $first: Int, $after: String, $last: Int, $before: String) {
    spaces(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...SpaceCard }
    }
  }
`,[n]),i=e(`fragment EntityRow on Entity { id entityId type data version changedAt file { id name size facts { __typename } } }`),a=e(`
  fragment SpaceContents on Space {
    lock { name until }
    takedown { reason text }
    entities(first: 200) { totalCount nodes { ...EntityRow } }
  }
`,[i]),o=e(`
  query Space($id: ID!) {
    space(id: $id) { ...SpaceCard ...SpaceContents type owner { id } visitsByDay { day visits } }
  }
`,[n,a]),s=e(`
  query Versions($spaceId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    spaceVersions(spaceId: $spaceId, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { number name door restoredNumber endedAt created updated deleted }
    }
  }
`),c=e(`
  query VersionChanges($spaceId: ID!, $to: Int!) {
    spaceChanges(spaceId: $spaceId, to: $to) { totalCount nodes { target beforeType before afterType after } }
  }
`),l=e(`
  mutation RestoreVersion($input: RestoreVersionInput!) { restoreVersion(input: $input) { noChanges } }
`),u=e(`
  mutation NameVersion($input: NameVersionInput!) { nameVersion(input: $input) { version { number name } } }
`),d=e(`mutation DeleteEntity($input: DeleteEntityInput!) { deleteEntity(input: $input) { deletedEntityId } }`),f=e(`
  mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id data version changedAt } } }
`),p=e(`
  query Destinations($filter: SpaceFilter) {
    spaces(filter: $filter, first: 8) { nodes { id spaceId title posters { url width } } }
    publicSpaces(filter: $filter, first: 8) { nodes { id spaceId title posters { url width } } }
  }
`),m=e(`
  query OwnPictures($after: String) {
    files(filter: { format: [JPEG, PNG, WEBP] }, first: 12, after: $after) {
      pageInfo { hasNextPage endCursor } nodes { id name url posters { url width } }
    }
  }
`),h=e(`query LeadsTo($id: ID!) { space(id: $id) { ...SpaceCard } }`,[n]),g=e(`fragment Person on User { id userId name followed }`),_=e(`
  query People {
    viewer {
      id
      followers(first: 200) { totalCount nodes { ...Person } }
      following(first: 200) { totalCount nodes { ...Person } }
    }
  }
`,[g]),v=e(`mutation Follow($input: FollowUserInput!) { followUser(input: $input) { user { ...Person } } }`,[g]),y=e(`mutation Unfollow($input: UnfollowUserInput!) { unfollowUser(input: $input) { user { ...Person } } }`,[g]),b=e(`
  query SpaceTitles($filter: SpaceFilter) { spaces(filter: $filter, first: 50) { totalCount nodes { id title } } }
`),x=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[n]),S=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[n]),C=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[n]),w=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),T=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),E=e(`
  fragment FileCard on File {
    id resourceKey name contentType size derivedBytes createdAt posters { url width }
    preparation { step state message }
    captures { name size splats }
    start { doubtfulScale }
    facts {
      __typename format version
      ... on GaussianFacts { splats levels bounds { min max } }
      ... on MeshFacts { vertices triangles bounds { min max } }
      ... on ImageFacts { width height }
      ... on DamagedFacts { fault }
    }
    usedBy(first: 20) { totalCount nodes { id space { id title } } }
  }
`),D=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[E]),O=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[E]),k=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),A=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),j=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),M=e(`
  mutation ExtractCapture($input: ExtractCaptureInput!) { extractCapture(input: $input) { job { id } } }
`),N=e(`
  fragment JobRow on Job {
    id jobId type status progress message step { name done total unit } error createdAt updatedAt file { id name }
  }
`),P=e(`
  query Jobs($first: Int, $after: String, $last: Int, $before: String) {
    jobs(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { ...JobRow } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,[N]),F=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[N]),I=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[N]),L=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),R=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),z=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[E,N]),B=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),V=e(`
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
`,[n,a,i]),H=e(`subscription JobEvents { jobs { ...JobRow } }`,[N]),U=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[n]),W=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[E]),G=e(`subscription NotificationEvents { notifications { id } }`);export{o as A,u as C,_ as D,m as E,C as F,S as I,c as L,r as M,y as N,l as O,f as P,s as R,h as S,L as T,D as _,T as a,F as b,d as c,p as d,V as f,k as g,O as h,j as i,b as j,U as k,A as l,W as m,I as n,x as o,M as p,z as r,R as s,B as t,w as u,v,G as w,P as x,H as y,t as z};