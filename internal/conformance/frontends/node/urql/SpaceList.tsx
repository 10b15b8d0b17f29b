import { useState } from 'react';
import { useQuery } from 'urql';

import { SpacesView } from '../shared/SpacesView';
import { Publish } from './Publish';
import { firstPage, spacesQuery } from './spaces';

/** The user's spaces: a connection that loads page by page, and again for each search. */
export function Spaces({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const [page, setPage] = useState<{ readonly after: string | null; readonly text: string }>({ after: null, text: '' });
  const [{ data }] = useQuery({ query: spacesQuery, variables: { ...firstPage, after: page.after, text: page.text || null } });
  const spaces = data?.spaces;
  return (
    <>
      <SpacesView
        spaces={spaces?.edges.map(({ node }) => node) ?? []}
        search={page.text}
        onSearch={(text) => setPage({ after: null, text })}
        onOpen={onOpen}
        onNext={spaces?.pageInfo.hasNextPage ? () => setPage({ ...page, after: spaces.pageInfo.endCursor }) : null}
      />
      <Publish />
    </>
  );
}
