/** A space in the list. */
export interface SpaceRow {
  readonly id: string;
  readonly title: string;
}

export interface SpacesViewProps {
  readonly spaces: readonly SpaceRow[];
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly onOpen: (id: string) => void;
  /** Loads the next page; null on the last page. */
  readonly onNext: (() => void) | null;
}

/** The user's spaces with a search, page by page. */
export function SpacesView({ spaces, search, onSearch, onOpen, onNext }: SpacesViewProps) {
  return (
    <section aria-label="Spaces">
      <input type="search" aria-label="Search" value={search} onChange={({ target }) => onSearch(target.value)} />
      <ul aria-label="Spaces">
        {spaces.map(({ id, title }) => (
          <li key={id}><button type="button" onClick={() => onOpen(id)}>{title}</button></li>
        ))}
      </ul>
      {onNext && <button type="button" onClick={onNext}>More spaces</button>}
    </section>
  );
}
