var e={ply:`capture`,sog:`capture`,spz:`capture`,splat:`capture`,ksplat:`capture`,lcc2:`capture`,glb:`model`,gltf:`model`,jpg:`image`,jpeg:`image`,png:`image`,gif:`image`,webp:`image`,mp4:`video`,webm:`video`,mp3:`sound`,ogg:`sound`,wav:`sound`,mjs:`plugin`},t={STREAMED_SOG:`capture`,SOG:`capture`,MESH_PLY:`other`},n={Gate:`gate`,DynamicGate:`gate`,SpawnPoint:`spawn`};function r(e){let t=e.replace(/[?#].*$/,``).split(`/`).pop()??``;try{return decodeURIComponent(t)}catch{return t}}function i(e){let t=r(e).toLowerCase();return t.includes(`.`)?t.split(`.`).pop()??``:``}function a(e){return e.file?.viewUrl??e.readUrl??``}function o(r){let a=n[r.type];if(a)return a;if(r.file?.facts?.splats)return`capture`;let o=r.file?.readUrl??r.readUrl??f(r.data,`glbUrl`);return t[r.file?.facts?.format??``]??e[i(o)]??s(o)}function s(e){return[`lod-meta.json`,`meta.json`].includes(r(e).toLowerCase())?`capture`:`other`}function c(e){return[`lod-meta.json`,`meta.json`].includes(r(e))||[`sog`,`ply`].includes(i(e))}function l(e){return[`GLB`,`GLTF`].includes(e.file?.facts?.format??``)}function u(e){return typeof e==`number`&&Number.isFinite(e)}function d(e,t){if(u(e))return[e,e,e];let[n,r,i]=Array.isArray(e)?e:e&&typeof e==`object`?[e.x,e.y,e.z]:[];return u(n)&&u(r)&&u(i)?[n,r,i]:t}function f(e,t){let n=e[t];return typeof n==`string`?n:``}function p(e,t,n){let r=e[t];return u(r)?r:n}function m(e,t){let n=e[t];return n&&typeof n==`object`&&!Array.isArray(n)?n:{}}function h(e){return e.data.hidden===!0||m(e.data,`dynamicGate`).hidden===!0}function g(e){return{position:d(e.position,[0,0,0]),rotation:d(e.rotation,[0,0,0]),scale:d(e.scale,[1,1,1])}}function _(e){for(let t of[`title`,`displayName`,`label`,`name`]){let n=f(e.data,t).trim();if(n)return n}return e.file?.name??e.entityId}function v(e){let t=f(e.data,`link`).trim();if(t===``)return{kind:`none`};if(!/^https?:/i.test(t)){let e=t.replace(/^custom\.travel\.center\./,``);return/^[\w.-]+$/.test(e)?{kind:`space`,spaceId:e}:{kind:`none`}}return URL.canParse(t)?{kind:`page`,address:new URL(t).href,newTab:e.data.openAsTab===!0,embedded:e.data.embeddedEnabled===!0}:{kind:`none`}}var y=`/graphql`,b=class extends Error{code;extensions;constructor(e,t={}){super(e),this.extensions=t,this.code=typeof t.code==`string`?t.code:``}};function x(e,t,n,r){return fetch(y,{method:`POST`,headers:{"Content-Type":`application/json`,Accept:n},body:JSON.stringify({query:e,variables:t}),...r&&{signal:r}})}function S(e){let t=e.errors?.[0];if(t)throw new b(t.message,t.extensions);if(!e.data)throw new b(`The answer has no data`);return e.data}async function C(e,t){let n=await x(e,t,`application/graphql-response+json, application/json`);if(!n.headers.get(`Content-Type`)?.includes(`json`))throw new b(`The server answered with status ${n.status}`);return S(await n.json())}async function w(e,t,n,r){let i=await x(e,t,`text/event-stream`,r);if(!i.headers.get(`Content-Type`)?.includes(`text/event-stream`))throw S(await i.json()),new b(`The server does not stream`);if(!i.body)throw new b(`The stream is empty`);let a=i.body.pipeThrough(new TextDecoderStream).getReader(),o=new T;for(;;){let{done:e,value:t}=await a.read();if(e)throw Error(`The connection was lost`);for(let e of o.push(t)){if(e.name===`complete`)return;e.name===`next`&&n(S(JSON.parse(e.data)))}}}var T=class{rest=``;push(e){let t=(this.rest+e).replaceAll(`\r
`,`
`).split(`

`);return this.rest=t.pop()??``,t.map(E).filter(e=>e.name!==``)}};function E(e){let t={name:``,data:``};for(let n of e.split(`
`)){let[,e,r]=/^(event|data): ?(.*)$/.exec(n)??[];e===`event`&&(t.name=r??``),e===`data`&&(t.data+=r??``)}return t}var D=`
  id name viewUrl readUrl posterUrl collisionUrl attribution
  start { position target up scene }
  facts { format ... on GaussianFacts { splats } ... on MeshFacts { splats } }`,O=`
  fragment EntityFields on Entity { id entityId type version data readUrl file { ${D} } }`,k=`id spaceId title type privacy runsPlugins viewerIsOwner presence`,A=`
  query Space($id: ID!, $after: String) {
    space(id: $id) {
      ${k}
      entities(first: 200, after: $after) { nodes { ...EntityFields } pageInfo { hasNextPage endCursor } }
    }
    room: entity(spaceId: $id, entityId: "RoomInfo") { data }
  }${O}`,j=`
  query Entity($id: ID!, $entity: ID!) {
    entity(spaceId: $id, entityId: $entity) { ...EntityFields }
  }${O}`,M=`
  query Preview($id: ID!) {
    space(id: $id) { title entities(first: 20) { nodes { file { posterUrl } } } }
  }`,N=`
  subscription Space($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceChanged { space { ${k} } }
      ... on EntityCreated { entity { ...EntityFields } }
      ... on EntityChanged { entity { ...EntityFields } }
      ... on EntityDeleted { entityId }
    }
  }${O}`,P=`mutation Visit($id: ID!) { recordVisit(input: { spaceId: $id }) { space { id } } }`;async function F(e){let t=[],n=null;for(;;){let r=await C(A,{id:e,after:n});if(!r.space)return null;let{entities:i,...a}=r.space;if(t.push(...i.nodes),!i.pageInfo.hasNextPage)return{space:a,entities:t,room:r.room?.data??{}};n=i.pageInfo.endCursor}}function I(e){C(P,{id:e}).catch(()=>{})}async function L(e,t){return(await C(j,{id:e,entity:t})).entity}async function R(e){let{space:t}=await C(M,{id:e});if(!t)return null;let n=t.entities.nodes.find(e=>e.file?.posterUrl)?.file?.posterUrl??null;return{title:t.title,poster:n}}var z=1e3,B=6e4;async function V(e,t,n){let r=z;for(;!n.aborted;)try{await w(N,{id:e},e=>{r=z,t(e.space)},n);return}catch(e){if(n.aborted)return;e instanceof b&&e.code!==``&&(r=B),await new Promise(e=>setTimeout(e,r)),r=Math.min(r*2,B)}}export{d as C,f as S,o as _,R as a,m as b,b as c,v as d,a as f,l as g,h,L as i,C as l,c as m,D as n,F as o,r as p,V as r,I as s,O as t,w as u,_ as v,g as x,p as y};