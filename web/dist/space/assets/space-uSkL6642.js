import{m as e}from"./entity-ClUZo4av.js";import{i as t}from"./graphql-C-3_nx6S.js";var n=`custom.travel.center.`;function r(t){let r=e(t.data,`link`).trim();if(r===``)return{kind:`none`};if(!/^https?:/i.test(r)){let e=r.startsWith(n)?r.slice(21):r;return/^[\w.-]+$/.test(e)?{kind:`space`,spaceId:e}:{kind:`none`}}return URL.canParse(r)?{kind:`page`,address:new URL(r).href,newTab:t.data.openAsTab===!0,embedded:t.data.embeddedEnabled===!0}:{kind:`none`}}var i=[`9769e4b4-e5d9-4286-9353-c2c66b158347`,`1aef8fd4-6447-4e04-969a-4669c11dd52e`,`75f16b87-5314-4cdf-a8d5-bb2a8292b687`,`608f2483-802b-4fa7-95bb-920bed1431ad`,`fcc35518-309c-47e1-8d93-d939d6bca475`,`404c7fe3-26f1-4fb6-bac7-a50bf1f3cb1a`,`b9a67fa0-00ce-401d-94c2-4045c4aaec35`],a=[`leftWall`,`leftWall`,`frontWall`,`frontWall`,`frontWall`,`rightWall`,`rightWall`];function o(e){return i.indexOf(e)}function s(e){let t=o(e),n=a[t];return n?{number:t+1,wall:n}:null}function c(e,t){return e.createdAt===t.createdAt?e.version<t.version:e.createdAt<t.createdAt}var l=`
  id resourceKey name viewUrl readUrl posterUrl collisionUrl attribution
  start { position target up certainty doubtfulScale scene }
  facts { format ... on GaussianFacts { splats } ... on MeshFacts { splats triangles } ... on DamagedFacts { fault } }
  size preparation { step state message }`,u=`
  fragment EntityFields on Entity { id entityId type version createdAt data readUrl file { ${l} } }`,d=`id spaceId title type privacy runsPlugins viewerIsOwner presence lock { name until }`,f=`
  query Space($id: ID!, $after: String) {
    space(id: $id) {
      ${d}
      entities(first: 200, after: $after) { nodes { ...EntityFields } pageInfo { hasNextPage endCursor } }
    }
    room: entity(spaceId: $id, entityId: "RoomInfo") { data }
  }${u}`,p=`
  query Entity($id: ID!, $entity: ID!) {
    entity(spaceId: $id, entityId: $entity) { ...EntityFields }
  }${u}`,m=`
  query Preview($id: ID!) {
    space(id: $id) { title entities(first: 20) { nodes { file { posterUrl } } } }
  }`,h=`
  subscription Space($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceChanged { space { ${d} } }
      ... on EntityCreated { entity { ...EntityFields } }
      ... on EntityChanged { entity { ...EntityFields } }
      ... on EntityDeleted { entityId }
    }
  }${u}`,g=`mutation Visit($id: ID!) { recordVisit(input: { spaceId: $id }) { space { id } } }`;async function _(e){let n=[],r=null;for(;;){let i=await t(f,{id:e,after:r});if(!i.space)return null;let{entities:a,...o}=i.space;if(n.push(...a.nodes),!a.pageInfo.hasNextPage)return{space:o,entities:n,room:i.room?.data??{}};r=a.pageInfo.endCursor}}function v(e){t(g,{id:e}).catch(()=>{})}async function y(e,n){return(await t(p,{id:e,entity:n})).entity}async function b(e){let{space:n}=await t(m,{id:e});if(!n)return null;let r=n.entities.nodes.find(e=>e.file?.posterUrl)?.file?.posterUrl??null;return{title:n.title,poster:r}}export{y as a,v as c,r as d,c as i,s as l,h as n,b as o,l as r,_ as s,u as t,o as u};