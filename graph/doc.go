// Package graph is the core: every operation is a resolver method, which reads
// caller, owned thing, validate, do, return. The doors (GraphQL's handler here,
// packages rest and mcp) call the same methods, so rules stand here and nowhere
// else. Methods of the root resolvers never touch gqlgen's operation context,
// which only exists while a GraphQL document is executed.
//
// # Subscriptions
//
// A change of a space reaches its subscribers in four steps:
//
//   - The transaction of the change announces the space's topic after its commit
//     (db.Announce), and Postgres notifies every process.
//   - The spaceHub of the process reads the versions of the space's entities, then the rows
//     that changed, then the space: once, whatever the number of subscribers. A topic
//     carries no state, so a lost or repeated announcement costs a read, and never causes a
//     wrong answer; without any the hub reads every pollInterval.
//   - Each spaceFollower takes its events from the hub's spaceLog when its reader has taken
//     the event before. The log keeps only the newest state of each object, so a slow
//     reader skips older states and delays nobody. The follower checks its caller's rights
//     against the newest state of the space before each event.
//   - liveSchema encodes the event once for all subscribers with the same document and
//     variables, if every selected field is the same for all callers (shareableFields).
//
// The subscriptions to a job, the caller's jobs and notifications have few subscribers each.
// They read for themselves (feed), a few at a time (readSlots). The context of every stream
// and socket ends with its key or session, whatever it follows (authenticate).
package graph
