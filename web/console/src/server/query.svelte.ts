import { untrack } from 'svelte';
import type { AnyVariables, CombinedError, OperationResult, RequestPolicy, TypedDocumentNode } from '@urql/core';
import { client } from './client.ts';

/** The result of a query, which changes as the cache does. */
export class Query<Data> {
  data = $state.raw<Data | undefined>();
  error = $state.raw<CombinedError | undefined>();
  /** Whether data is the result for the current variables. */
  current = $state(false);
  /** Asks the server again, for what no event announces. */
  refresh: () => void = () => {};
}

/**
 * Calls an effect with variables, and again when their values differ. Variables that a component
 * reads from a result are new objects with each result.
 */
function withVariables<Variables>(variables: () => Variables, effect: (values: Variables) => () => void): void {
  const values = $derived(JSON.stringify(variables()));
  $effect(() => {
    void values;
    return effect(untrack(variables));
  });
}

/**
 * Watches a query while the component lives. It is sent again when its variables change; until
 * the new result comes, the previous result stays. It also stays when the query is sent again and
 * fails, and when the cache has no data for a moment because an event invalidated them: the
 * person may be typing in what the result shows.
 */
export function watch<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: () => Variables,
): Query<Data> {
  const query = new Query<Data>();
  withVariables(variables, (values) => {
    let settled = false;
    let unsubscribe = () => {};
    function send(requestPolicy: RequestPolicy): void {
      unsubscribe();
      ({ unsubscribe } = client.query(document, values, { requestPolicy }).subscribe(take));
    }
    function take({ data, error }: OperationResult<Data, Variables>): void {
      if (data) query.data = data;
      else if (error && !settled) query.data = undefined;
      else if (!error) return;
      settled = true;
      query.error = error;
      query.current = true;
    }
    query.current = false;
    query.refresh = () => {
      send('network-only');
    };
    send('cache-and-network');
    return () => {
      unsubscribe();
    };
  });
  return query;
}

/** Subscribes while the component lives. The events change the cache. */
export function subscribe<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: () => Variables,
): void {
  withVariables(variables, (values) => client.subscription(document, values).subscribe(() => {}).unsubscribe);
}

/** Sends a mutation, and throws the error of a refusal. */
export async function mutate<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const { data, error } = await client.mutation(document, variables);
  if (error) throw error;
  return data as Data;
}

/** Asks the server, past the cache, and throws the error of a refusal. */
export async function ask<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  const { data, error } = await client.query(document, variables, { requestPolicy: 'network-only' });
  if (error) throw error;
  return data as Data;
}
