// Documents are checked by the compiler against schema.graphqls, from which the build generates
// graphql-env.d.ts.

import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env.d.ts';

/** Makes a document that the compiler has checked, with the types of its variables and its result. */
export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { DateTime: string; URL: string; JSON: Record<string, unknown>; Int64: number };
}>();

export type { ResultOf, VariablesOf } from 'gql.tada';
