// Package presence knows who is in which space now: the visitors, where they are, and which
// of them left. It keeps this in memory, never in a database. Package graph checks who may
// join, and sends what changes.
//
// # Rooms
//
// A space with visitors has a room in every process that visitors of the space are connected
// to. All changes of an interval are one Batch, which is made once for all visitors. A
// visitor whose connection is slow skips batches: the next one has the newest pose of
// everybody who moved in between.
//
// # Several processes
//
// Over Redis each process sends its own visitors of a space to the other processes that have
// visitors there: what changed with each batch, and everybody when a process asks, and every
// five seconds. So a lost message does no lasting harm, and while Redis is away the visitors
// of one process still see each other. Redis stores nothing but keyed hashes of who was
// removed, for an hour. Where processes together let in more than model.MaxVisitors, the
// stays of those who came last end.
//
// # Tickets
//
// The ticket of a stay is a keyed hash of its id, so that every process can check it, and
// nobody moves another visitor.
package presence
