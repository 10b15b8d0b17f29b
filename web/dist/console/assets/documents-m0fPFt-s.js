import{n as e}from"./Problem-cS2DX9bc.js";var t=e(`
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
`,[n]),i=e(`fragment EntityRow on Entity { id entityId type data version changedAt file { id name size } }`),a=e(`
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
    spaceChanges(spaceId: $spaceId, to: $to) { totalCount nodes { target before after } }
  }
`),l=e(`
  mutation RestoreVersion($input: RestoreVersionInput!) { restoreVersion(input: $input) { noChanges } }
`),u=e(`
  mutation NameVersion($input: NameVersionInput!) { nameVersion(input: $input) { version { number name } } }
`),d=e(`mutation DeleteEntity($input: DeleteEntityInput!) { deleteEntity(input: $input) { deletedEntityId } }`),f=e(`
  mutation UpdateEntity($input: UpdateEntityInput!) { updateEntity(input: $input) { entity { id data version changedAt } } }
`),p=e(`
  query Destinations($filter: SpaceFilter) {
    spaces(filter: $filter, first: 8) { nodes { id spaceId title } }
    publicSpaces(filter: $filter, first: 8) { nodes { id spaceId title } }
  }
`),m=e(`query LeadsTo($id: ID!) { space(id: $id) { ...SpaceCard } }`,[n]),h=e(`fragment Person on User { id userId name followed }`),g=e(`
  query People {
    viewer {
      id
      followers(first: 200) { totalCount nodes { ...Person } }
      following(first: 200) { totalCount nodes { ...Person } }
    }
  }
`,[h]),_=e(`mutation Follow($input: FollowUserInput!) { followUser(input: $input) { user { ...Person } } }`,[h]),v=e(`mutation Unfollow($input: UnfollowUserInput!) { unfollowUser(input: $input) { user { ...Person } } }`,[h]),y=e(`
  query SpaceTitles($filter: SpaceFilter) { spaces(filter: $filter, first: 50) { totalCount nodes { id title } } }
`),b=e(`
  mutation CreateSpace($input: CreateSpaceInput!) { createSpace(input: $input) { warning space { ...SpaceCard } } }
`,[n]),x=e(`
  mutation UpdateSpace($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { ...SpaceCard } } }
`,[n]),S=e(`
  mutation UpdatePrivacy($input: UpdateSpacePrivacyInput!) { updateSpacePrivacy(input: $input) { space { ...SpaceCard } } }
`,[n]),C=e(`
  mutation DeleteSpace($input: DeleteSpaceInput!) { deleteSpace(input: $input) { deletedSpaceId } }
`),w=e(`
  mutation CreateEntity($input: CreateEntityInput!) {
    createEntity(input: $input) { warning entity { id space { id url } } }
  }
`),T=e(`
  fragment FileCard on File {
    id resourceKey name contentType size derivedBytes createdAt posters { url width }
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
`),E=e(`
  query Files($filter: FileFilter, $orderBy: FileOrder, $first: Int, $after: String, $last: Int, $before: String) {
    files(filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last, before: $before) {
      totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      nodes { ...FileCard }
    }
  }
`,[T]),D=e(`query File($id: ID!) { file(id: $id) { ...FileCard readUrl attribution } }`,[T]),O=e(`
  query FileSizes { files(first: 200, orderBy: { field: SIZE }) { totalCount nodes { id size derivedBytes facts { __typename format } } } }
`),k=e(`
  mutation DeleteFile($input: DeleteFileInput!) { deleteFile(input: $input) { deletedFileId } }
`),A=e(`
  mutation ConvertFile($input: ConvertFileInput!) { convertFile(input: $input) { job { id } } }
`),j=e(`
  fragment JobRow on Job { id jobId type status progress message error createdAt updatedAt file { id name } }
`),M=e(`
  query Jobs($first: Int, $after: String, $last: Int, $before: String) {
    jobs(first: $first, after: $after, last: $last, before: $before) {
      totalCount nodes { ...JobRow } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`,[j]),N=e(`query Job($id: ID!) { job(id: $id) { ...JobRow } }`,[j]),P=e(`
  mutation CancelJob($input: CancelJobInput!) { cancelJob(input: $input) { job { ...JobRow } } }
`,[j]),F=e(`
  query Notifications {
    notifications(first: 50) { totalCount nodes { id type text createdAt space { id title url owner { id userId name } } } }
  }
`),I=e(`
  mutation CreateUpload($input: CreateUploadInput!) {
    createUpload(input: $input) { upload { url method headers { name value } expiresAt } }
  }
`),L=e(`
  mutation CompleteUpload($input: CompleteUploadInput!) {
    completeUpload(input: $input) {
      confirmation { __typename ... on FileStored { file { ...FileCard } } ... on JobStarted { job { ...JobRow } } }
    }
  }
`,[T,j]),R=e(`
  mutation AbandonUpload($input: AbandonUploadInput!) { abandonUpload(input: $input) { abandonedFileUrl } }
`),z=e(`
  subscription EntityEvents($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceSnapshot { space { ...SpaceCard ...SpaceContents } }
      ... on SpaceChanged { space { id privacy lock { name until } takedown { reason text } } }
      ... on EntityCreated { space { id posters { url width } } }
      ... on EntityChanged { space { id posters { url width } } entity { ...EntityRow } }
      ... on EntityDeleted { space { id posters { url width } } deletedEntityId }
    }
  }
`,[n,a,i]),B=e(`subscription JobEvents { jobs { ...JobRow } }`,[j]),V=e(`
  subscription SpaceEvents {
    viewerSpaces {
      __typename
      ... on SpaceCreated { space { ...SpaceCard } }
      ... on SpaceChanged { space { ...SpaceCard } }
      ... on SpaceDeleted { deletedSpaceId }
    }
  }
`,[n]),H=e(`
  subscription FileEvents {
    viewerFiles {
      __typename
      ... on FileCreated { file { ...FileCard } }
      ... on FileChanged { file { ...FileCard } }
      ... on FileDeleted { deletedFileId }
    }
  }
`,[T]),U=e(`subscription NotificationEvents { notifications { id } }`);export{r as A,U as C,V as D,l as E,c as F,s as I,t as L,f as M,S as N,o as O,x as P,u as S,g as T,_,w as a,M as b,d as c,p as d,z as f,E as g,O as h,A as i,v as j,y as k,k as l,D as m,P as n,b as o,H as p,L as r,I as s,R as t,C as u,B as v,F as w,m as x,N as y};