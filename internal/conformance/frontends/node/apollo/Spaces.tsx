import { useQuery } from '@apollo/client/react';
import { useState } from 'react';

import { graphql } from '../shared/graphql';
import { SpacesView } from '../shared/SpacesView';
import { Publish } from './Publish';

const pageSize = 5;

/** The first page of all spaces, for the cache. */
export const firstPage = { first: pageSize, text: null };

export const spacesQuery = graphql(`
  query Spaces($first: Int!, $after: String, $text: String) {
    spaces(first: $first, after: $after, filter: { text: $text }) {
      edges { cursor node { id title } }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

/** The user's spaces: a connection that loads page by page, and again for each search. */
export function Spaces({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const [search, setSearch] = useState('');
  const { data, previousData, fetchMore } = useQuery(spacesQuery, { variables: { ...firstPage, text: search || null } });
  const spaces = (data ?? previousData)?.spaces;
  const loadNext = () => { void fetchMore({ variables: { after: spaces?.pageInfo.endCursor ?? null } }); };
  return (
    <>
      <SpacesView
        spaces={spaces?.edges.map(({ node }) => node) ?? []}
        search={search}
        onSearch={setSearch}
        onOpen={onOpen}
        onNext={spaces?.pageInfo.hasNextPage ? loadNext : null}
      />
      <Publish />
    </>
  );
}
