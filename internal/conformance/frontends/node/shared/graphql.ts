import { initGraphQLTada } from 'gql.tada';

import type { introspection } from './graphql-env';
import type { JSONObject } from './json';

/** Parses a document. Its type has the result and the variables, from schema.graphqls. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { DateTime: string; Int64: number; JSON: JSONObject; URL: string };
  disableMasking: true;
}>();

export type { ResultOf, VariablesOf } from 'gql.tada';
