import { startTransition, useState } from 'react';
import { graphql, useLazyLoadQuery, usePaginationFragment } from 'react-relay';

import { SpacesView } from '../shared/SpacesView';
import type { Spaces_list$key } from './__generated__/Spaces_list.graphql';
import type { SpacesPageQuery } from './__generated__/SpacesPageQuery.graphql';
import type { SpacesQuery } from './__generated__/SpacesQuery.graphql';
import { Publish } from './Publish';

const pageSize = 5;

/** The user's spaces: a connection that loads page by page, and again for each search. */
export function Spaces({ onOpen }: { readonly onOpen: (id: string) => void }) {
  const query = useLazyLoadQuery<SpacesQuery>(graphql`
    query SpacesQuery($count: Int!) { ...Spaces_list @arguments(count: $count) }
  `, { count: pageSize });
  const { data, hasNext, loadNext, refetch } = usePaginationFragment<SpacesPageQuery, Spaces_list$key>(graphql`
    fragment Spaces_list on Query
    @refetchable(queryName: "SpacesPageQuery")
    @argumentDefinitions(count: { type: "Int!" }, cursor: { type: "String" }, text: { type: "String" }) {
      spaces(first: $count, after: $cursor, filter: { text: $text }) @connection(key: "Spaces_spaces") {
        __id
        edges { node { id title } }
      }
    }
  `, query);
  const [search, setSearch] = useState('');
  const searchFor = (text: string) => {
    setSearch(text);
    startTransition(() => { refetch({ count: pageSize, text: text || null }); });
  };
  return (
    <>
      <SpacesView
        spaces={data.spaces?.edges.map(({ node }) => node) ?? []}
        search={search}
        onSearch={searchFor}
        onOpen={onOpen}
        onNext={hasNext ? () => loadNext(pageSize) : null}
      />
      {data.spaces && <Publish connection={data.spaces.__id} />}
    </>
  );
}
