import type { AnyVariables, CombinedError, TypedDocumentNode } from '@urql/core';
import { client } from './client.ts';

/** The answer to a query, which changes as the cache does. */
export class Query<Data> {
  data = $state.raw<Data | undefined>();
  error = $state.raw<CombinedError | undefined>();
  /** Whether the answer is that of the present variables. */
  current = $state(false);
}

/**
 * Watches a query while the component lives. It is sent again when its variables change; until
 * the new answer comes, the answer before stays.
 */
export function watch<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>, variables: () => Variables,
): Query<Data> {
  const query = new Query<Data>();
  $effect(() => {
    const values = variables();
    query.current = false;
    const { unsubscribe } = client.query(document, values, { requestPolicy: 'cache-and-network' }).subscribe((result) => {
      if (result.data !== undefined || result.error) query.data = result.data;
      query.error = result.error;
      query.current = true;
    });
    return unsubscribe;
  });
  return query;
}

/** Subscribes while the component lives. The events change the cache. */
export function subscribe<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>, variables: () => Variables,
): void {
  $effect(() => client.subscription(document, variables()).subscribe(() => {}).unsubscribe);
}

/** Sends a mutation, and throws the error of a refusal. */
export async function mutate<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>, variables: Variables,
): Promise<Data> {
  const { data, error } = await client.mutation(document, variables);
  if (error) throw error;
  return data as Data;
}
