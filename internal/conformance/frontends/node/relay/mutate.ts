import type { GraphQLTaggedNode, MutationConfig, MutationParameters } from 'relay-runtime';
import { commitMutation, type IEnvironment } from 'relay-runtime';

import { describe } from '../shared/refusal';

type Config<Mutation extends MutationParameters> =
  Omit<MutationConfig<Mutation>, 'mutation' | 'onCompleted' | 'onError'>;

/**
 * Commits a mutation and returns its response. It rejects with the text of a refusal: Relay
 * reports a refusal as a completed mutation with errors, after it has rolled back the
 * optimistic change.
 */
export function mutate<Mutation extends MutationParameters>(
  environment: IEnvironment, mutation: GraphQLTaggedNode, config: Config<Mutation>,
): Promise<Mutation['response']> {
  return new Promise((resolve, reject) => {
    commitMutation<Mutation>(environment, {
      ...config,
      mutation,
      onCompleted: (response, errors) => {
        if (errors?.[0]) reject(new Error(describe(errors[0])));
        else resolve(response);
      },
      onError: reject,
    } as MutationConfig<Mutation>);
  });
}
