/** An error as the server reports it; the schema lists the codes and reasons. */
export interface GraphQLProblem {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly reason?: string } | undefined;
}

/** Reports whether the errors mean that the key is not valid, or no longer. */
export function isSignedOut(errors: readonly GraphQLProblem[] | null | undefined): boolean {
  return errors?.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED') ?? false;
}

/** Returns the text that the user sees for a refusal; the reason names what can be done. */
export function describe({ message, extensions }: GraphQLProblem): string {
  switch (extensions?.reason) {
    case 'TAKEN': return 'Choose another id: this one is taken.';
    case 'STALE': return 'Somebody else has changed this meanwhile. Look at it and try again.';
    default: return message;
  }
}
