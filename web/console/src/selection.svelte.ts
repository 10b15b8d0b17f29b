import { SvelteSet } from 'svelte/reactivity';

/** The selected rows of a list, by id. */
export class Selection {
  readonly #ids = new SvelteSet<string>();
  #last = '';

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /**
   * Selects a row, or takes it out of the selection. A range also has all rows that are shown between it and
   * the row that was set before.
   */
  set(id: string, on: boolean, shown: readonly string[] = [], isRange = false): void {
    const from = isRange ? shown.indexOf(this.#last) : -1;
    const to = shown.indexOf(id);
    const range = from < 0 || to < 0 ? [id] : shown.slice(Math.min(from, to), Math.max(from, to) + 1);
    for (const row of range) {
      if (on) this.#ids.add(row);
      else this.#ids.delete(row);
    }
    this.#last = id;
  }

  clear(): void {
    this.#ids.clear();
    this.#last = '';
  }
}
