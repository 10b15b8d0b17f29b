// What the parts about names and copies ask of the server.

import { graphql } from '../server/graphql.ts';

export const handleQuery = graphql('query Handle { viewer { id handle url } }');

export const updateHandleMutation = graphql(`
  mutation UpdateHandle($input: UpdateHandleInput!) { updateHandle(input: $input) { user { id handle url } } }
`);

export const reuseQuery = graphql(`
  query Reuse($id: ID!) { space(id: $id) { id spaceId title slug namedUrl copiesAllowed template owner { id handle } } }
`);

export const updateSlugMutation = graphql(`
  mutation UpdateSlug($input: UpdateSlugInput!) { updateSlug(input: $input) { space { id slug namedUrl } } }
`);

export const updateReuseMutation = graphql(`
  mutation UpdateReuse($input: UpdateSpaceInput!) { updateSpace(input: $input) { space { id version copiesAllowed template } } }
`);

export const duplicateSpaceMutation = graphql(`
  mutation DuplicateSpace($input: DuplicateSpaceInput!) { duplicateSpace(input: $input) { space { id spaceId } } }
`);

export const templatesQuery = graphql(`
  query Templates { spaces(filter: { template: true }, first: 50) { nodes { id title } } }
`);
