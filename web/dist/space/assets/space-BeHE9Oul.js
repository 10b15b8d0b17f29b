import{i as e}from"./graphql-C-3_nx6S.js";function t(e,t){return e.createdAt===t.createdAt?e.version<t.version:e.createdAt<t.createdAt}var n=`
  id resourceKey name viewUrl readUrl posterUrl collisionUrl attribution
  start { position target up certainty doubtfulScale scene }
  facts { format ... on GaussianFacts { splats } ... on MeshFacts { splats triangles } ... on DamagedFacts { fault } }
  size preparation { step state message }`,r=`
  fragment EntityFields on Entity { id entityId type version createdAt data readUrl file { ${n} } }`,i=`id spaceId title type privacy runsPlugins viewerIsOwner viewerShareLink { allowsDownload allowsMeasuring } presence lock { name until }`,a=`
  query Space($id: ID!, $after: String) {
    space(id: $id) {
      ${i}
      entities(first: 200, after: $after) { nodes { ...EntityFields } pageInfo { hasNextPage endCursor } }
    }
    room: entity(spaceId: $id, entityId: "RoomInfo") { ...EntityFields }
  }${r}`,o=`
  query Entity($id: ID!, $entity: ID!) {
    entity(spaceId: $id, entityId: $entity) { ...EntityFields }
  }${r}`,s=`
  query Preview($id: ID!) {
    space(id: $id) { title posters { url width } }
  }`,c=`
  subscription Space($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceChanged { space { ${i} } }
      ... on EntityCreated { entity { ...EntityFields } }
      ... on EntityChanged { entity { ...EntityFields } }
      ... on EntityDeleted { entityId }
      ... on RoomChanged { room { ...EntityFields } }
    }
  }${r}`,l=`mutation Visit($id: ID!) { recordVisit(input: { spaceId: $id }) { space { id } } }`;function u(){return{id:``,entityId:`RoomInfo`,type:`Simple`,version:0,createdAt:``,data:{},readUrl:null,file:null}}async function d(t){let n=[],r=null;for(;;){let i=await e(a,{id:t,after:r});if(!i.space)return null;let{entities:o,...s}=i.space;if(n.push(...o.nodes),!o.pageInfo.hasNextPage)return{space:s,entities:n,room:i.room??u()};r=o.pageInfo.endCursor}}function f(t){e(l,{id:t}).catch(()=>{})}async function p(t,n){return(await e(o,{id:t,entity:n})).entity}var m=640;async function h(t){let{space:n}=await e(s,{id:t});if(!n)return null;let r=n.posters.find(({width:e})=>e>=m)??n.posters.at(-1);return{title:n.title,poster:r?.url??null}}export{p as a,u as c,t as i,f as l,c as n,h as o,n as r,d as s,r as t};