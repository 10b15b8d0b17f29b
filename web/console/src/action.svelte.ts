// What a person starts in a component, such as saving a form: whether it is running, whether it
// succeeded, and why it failed.

export class Action {
  busy = $state(false);
  /** Whether the last work succeeded. */
  done = $state(false);
  /** Why work failed. It is undefined again when the next work starts. */
  error = $state.raw<unknown>();
  #running = 0;
  /** How many times the person has left: a result of what they left changes nothing. */
  #departures = 0;

  /**
   * Runs work, and calls next with its result unless the person has left in the meantime. Work may
   * start while other work is running.
   */
  async run<Result>(work: () => Promise<Result>, next?: (result: Result) => void): Promise<void> {
    const departures = this.#departures;
    const isCurrent = () => departures === this.#departures;
    this.#running += 1;
    this.busy = true;
    this.done = false;
    this.error = undefined;
    try {
      const result = await work();
      if (isCurrent()) {
        this.done = true;
        next?.(result);
      }
    } catch (refusal) {
      if (isCurrent()) this.error = refusal;
    }
    this.#running -= 1;
    this.busy = this.#running > 0;
  }

  /**
   * Forgets the outcome of all work so far, for example when the person closes a dialog. The action
   * is busy until running work ends, so that a dialog that is opened again does not start it twice.
   */
  leave(): void {
    this.#departures += 1;
    this.done = false;
    this.error = undefined;
  }
}

/** Returns an action of the component that is being created. It is left when the component is removed. */
export function newAction(): Action {
  const action = new Action();
  $effect(() => () => {
    action.leave();
  });
  return action;
}
