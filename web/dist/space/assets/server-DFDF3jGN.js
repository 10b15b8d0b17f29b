import{i as e}from"./graphql-C-3_nx6S.js";import{t}from"./space-BeHE9Oul.js";var n=`
  mutation Create($in: CreateEntityInput!) {
    createEntity(input: $in) { entity { ...EntityFields } }
  }${t}`,r=`
  mutation Update($in: UpdateEntityInput!) {
    updateEntity(input: $in) { entity { ...EntityFields } }
  }${t}`,i=`mutation Delete($in: DeleteEntityInput!) { deleteEntity(input: $in) { deletedEntityId } }`;function a(t){return{create:async({entityId:r,type:i,data:a,file:o})=>{let s={spaceId:t,entityId:r,data:a,mustBeNew:!0,...o&&!a.glbUrl?{fileId:o.id}:{type:i}};return(await e(n,{in:s})).createEntity.entity},update:async(n,i,a)=>(await e(r,{in:{spaceId:t,entityId:n,data:i,expectedVersion:a}})).updateEntity.entity,delete:async n=>{await e(i,{in:{spaceId:t,entityId:n}})}}}function o(e){return`${e}-${[...crypto.getRandomValues(new Uint8Array(8))].map(e=>e.toString(16).padStart(2,`0`)).join(``)}`}async function s(t){let{file:n}=await e(`query Address($id: ID!) { file(id: $id) { url } }`,{id:t});if(!n)throw Error(`the file is gone`);return n.url}export{o as n,s as r,a as t};