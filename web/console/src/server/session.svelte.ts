/** What the whole console knows about its connection. */
class Session {
  /** Whether the server said that nobody is signed in any more. */
  ended = $state(false);
  /** Whether the socket is open, so that changes arrive as events. */
  live = $state(false);
}

export const session = new Session();
