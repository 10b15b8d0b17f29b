var e={ply:`capture`,sog:`capture`,spz:`capture`,splat:`capture`,ksplat:`capture`,lcc2:`capture`,glb:`model`,gltf:`model`,jpg:`image`,jpeg:`image`,png:`image`,gif:`image`,webp:`image`,mp4:`video`,webm:`video`,mp3:`sound`,ogg:`sound`,wav:`sound`,mjs:`plugin`},t={STREAMED_SOG:`capture`,SOG:`capture`,MESH_PLY:`other`},n={Gate:`gate`,DynamicGate:`gate`,SpawnPoint:`spawn`};function r(e){let t=e.replace(/[?#].*$/,``).split(`/`).pop()??``;try{return decodeURIComponent(t)}catch{return t}}function i(e){let t=r(e).toLowerCase();return t.includes(`.`)?t.split(`.`).pop()??``:``}function a(e){return e.file?.viewUrl??e.readUrl??``}function o(r){let a=n[r.type];if(a)return a;if(r.file?.facts?.splats)return`capture`;let o=r.file?.readUrl??r.readUrl??m(r.data,`glbUrl`);return t[r.file?.facts?.format??``]??e[i(o)]??s(o)}function s(e){return[`lod-meta.json`,`meta.json`].includes(r(e).toLowerCase())?`capture`:`other`}function c(e){return[`lod-meta.json`,`meta.json`].includes(r(e))||[`sog`,`ply`].includes(i(e))}var l=8e6;function u(e){let{file:t}=e;return o(e)!==`capture`||!t||t.size<=l?!1:t.preparation.some(({step:e,state:t})=>t===`PENDING`&&(e===`VIEW`||e===`FACTS`))}function d(e){return[`GLB`,`GLTF`].includes(e.file?.facts?.format??``)}function f(e){return typeof e==`number`&&Number.isFinite(e)}function p(e,t){if(f(e))return[e,e,e];let[n,r,i]=Array.isArray(e)?e:e&&typeof e==`object`?[e.x,e.y,e.z]:[];return f(n)&&f(r)&&f(i)?[n,r,i]:t}function m(e,t){let n=e[t];return typeof n==`string`?n:``}function h(e,t,n){let r=e[t];return f(r)?r:n}function g(e,t){let n=e[t];return n&&typeof n==`object`&&!Array.isArray(n)?n:{}}function _(e){return e.data.hidden===!0||g(e.data,`dynamicGate`).hidden===!0}function v(e){return{position:p(e.position,[0,0,0]),rotation:p(e.rotation,[0,0,0]),scale:p(e.scale,[1,1,1])}}function y(e){for(let t of[`title`,`displayName`,`label`,`name`]){let n=m(e.data,t).trim();if(n)return n}return e.file?.name??e.entityId}var b=`custom.travel.center.`;function x(e){let t=m(e.data,`link`).trim();if(t===``)return{kind:`none`};if(!/^https?:/i.test(t)){let e=t.startsWith(b)?t.slice(21):t;return/^[\w.-]+$/.test(e)?{kind:`space`,spaceId:e}:{kind:`none`}}return URL.canParse(t)?{kind:`page`,address:new URL(t).href,newTab:e.data.openAsTab===!0,embedded:e.data.embeddedEnabled===!0}:{kind:`none`}}var S=`/graphql`,C=3e4,w=5e3,T=class extends Error{code;extensions;constructor(e,t={}){super(e),this.extensions=t,this.code=typeof t.code==`string`?t.code:``}};function E(e){return!(e instanceof T)||[``,`INTERNAL`,`RATE_LIMITED`].includes(e.code)}function D(e,t,n,r){return fetch(S,{method:`POST`,headers:{"Content-Type":`application/json`,Accept:n},body:JSON.stringify({query:e,variables:t}),...r&&{signal:r}})}function O(e){let t=e.errors?.[0];if(t)throw new T(t.message,t.extensions);if(!e.data)throw new T(`The answer has no data`);return e.data}async function k(e,t){let n=await D(e,t,`application/graphql-response+json, application/json`);if(!n.headers.get(`Content-Type`)?.includes(`json`))throw new T(`The server answered with status ${n.status}`);return O(await n.json())}async function A(e,t,n,r){let i=new AbortController,a=Date.now(),o=setInterval(()=>{Date.now()-a>C&&i.abort(Error(`The connection was lost`))},w);try{await j(e,t,n,()=>{a=Date.now()},AbortSignal.any([r,i.signal]))}finally{clearInterval(o)}}async function j(e,t,n,r,i){let a=await D(e,t,`text/event-stream`,i);if(!a.headers.get(`Content-Type`)?.includes(`text/event-stream`))throw O(await a.json()),new T(`The server does not stream`);if(!a.body)throw new T(`The stream is empty`);let o=a.body.pipeThrough(new TextDecoderStream).getReader(),s=new M;try{for(;;){let{done:e,value:t}=await o.read();if(e)throw Error(`The connection was lost`);r();for(let e of s.push(t)){if(e.name===`complete`)return;e.name===`next`&&n(O(JSON.parse(e.data)))}}}finally{o.cancel().catch(()=>{})}}var M=class{rest=``;push(e){let t=(this.rest+e).replaceAll(`\r
`,`
`).split(`

`);return this.rest=t.pop()??``,t.map(N).filter(e=>e.name!==``)}};function N(e){let t={name:``,data:``};for(let n of e.split(`
`)){let[,e,r]=/^(event|data): ?(.*)$/.exec(n)??[];e===`event`&&(t.name=r??``),e===`data`&&(t.data+=r??``)}return t}function P(e,t){return e.createdAt===t.createdAt?e.version<t.version:e.createdAt<t.createdAt}var F=`
  id resourceKey name viewUrl readUrl posterUrl collisionUrl attribution
  start { position target up scene }
  facts { format ... on GaussianFacts { splats } ... on MeshFacts { splats } }
  size preparation { step state }`,I=`
  fragment EntityFields on Entity { id entityId type version createdAt data readUrl file { ${F} } }`,L=`id spaceId title type privacy runsPlugins viewerIsOwner presence lock { name until }`,R=`
  query Space($id: ID!, $after: String) {
    space(id: $id) {
      ${L}
      entities(first: 200, after: $after) { nodes { ...EntityFields } pageInfo { hasNextPage endCursor } }
    }
    room: entity(spaceId: $id, entityId: "RoomInfo") { data }
  }${I}`,z=`
  query Entity($id: ID!, $entity: ID!) {
    entity(spaceId: $id, entityId: $entity) { ...EntityFields }
  }${I}`,B=`
  query Preview($id: ID!) {
    space(id: $id) { title entities(first: 20) { nodes { file { posterUrl } } } }
  }`,V=`
  subscription Space($id: ID!) {
    space(id: $id) {
      __typename
      ... on SpaceChanged { space { ${L} } }
      ... on EntityCreated { entity { ...EntityFields } }
      ... on EntityChanged { entity { ...EntityFields } }
      ... on EntityDeleted { entityId }
    }
  }${I}`,H=`mutation Visit($id: ID!) { recordVisit(input: { spaceId: $id }) { space { id } } }`;async function U(e){let t=[],n=null;for(;;){let r=await k(R,{id:e,after:n});if(!r.space)return null;let{entities:i,...a}=r.space;if(t.push(...i.nodes),!i.pageInfo.hasNextPage)return{space:a,entities:t,room:r.room?.data??{}};n=i.pageInfo.endCursor}}function W(e){k(H,{id:e}).catch(()=>{})}async function G(e,t){return(await k(z,{id:e,entity:t})).entity}async function K(e){let{space:t}=await k(B,{id:e});if(!t)return null;let n=t.entities.nodes.find(e=>e.file?.posterUrl)?.file?.posterUrl??null;return{title:t.title,poster:n}}export{g as C,p as E,h as S,m as T,c as _,G as a,o as b,W as c,k as d,A as f,r as g,a as h,P as i,T as l,u as m,V as n,K as o,x as p,F as r,U as s,I as t,E as u,_ as v,v as w,y as x,d as y};