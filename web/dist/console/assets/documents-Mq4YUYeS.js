import{t as e}from"./graphql-U8Vwz0ag.js";var t=e(`query Handle { viewer { id handle url } }`),n=e(`
  mutation UpdateHandle($input: UpdateHandleInput!) { updateHandle(input: $input) { user { id handle url } } }
`),r=e(`
  query Reuse($id: ID!) { space(id: $id) { id spaceId title slug namedUrl copiesAllowed template owner { id handle } } }
`),i=e(`
  mutation UpdateSlug($input: UpdateSlugInput!) { updateSlug(input: $input) { space { id slug namedUrl } } }
`),a=e(`
  mutation UpdateReuse($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { id version copiesAllowed template } } }
`),o=e(`
  mutation DuplicateSpace($input: DuplicateSpaceInput!) { duplicateSpace(input: $input) { space { id spaceId } } }
`),s=e(`
  query Templates { spaces(filter: { template: true }, first: 50) { nodes { id title } } }
`);export{n as a,s as i,t as n,a as o,r,i as s,o as t};