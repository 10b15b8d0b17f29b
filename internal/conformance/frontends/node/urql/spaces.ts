import { graphql } from '../shared/graphql';

/** The first page of all spaces. */
export const firstPage = { first: 5, after: null, text: null };

export const spacesQuery = graphql(`
  query Spaces($first: Int!, $after: String, $text: String) {
    spaces(first: $first, after: $after, filter: { text: $text }) {
      __typename
      edges { __typename node { __typename id title } }
      pageInfo { __typename hasNextPage endCursor }
    }
  }
`);

export const createSpaceMutation = graphql(`
  mutation CreateSpace($input: CreateSpaceInput!) {
    createSpace(input: $input) { space { __typename id title } }
  }
`);
