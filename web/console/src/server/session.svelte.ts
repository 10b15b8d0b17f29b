/** What the whole console knows about its connection. */
class Session {
  /** Whether the server said that nobody is signed in any more. */
  ended = $state(false);
  /** Whether changes arrive by themselves. */
  live = $state(false);
}

export const session = new Session();
