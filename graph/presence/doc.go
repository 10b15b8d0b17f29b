// Package presence has the visitors of each space and their positions. It keeps them in memory,
// never in a database. Only package graph uses it: graph checks who may join, and sends the changes
// to clients.
//
// # Rooms
//
// A space with visitors has a room in every process to which visitors of the space are connected.
// All changes of an interval are one Batch, which is built once for all visitors. A visitor with a
// slow connection skips batches: the next batch has the newest pose of everybody who has moved in
// the meantime.
//
// # Several processes
//
// Each process sends its own visitors of a space over Redis to the other processes that have
// visitors of the space. It sends the changes with each batch, and all visitors every five seconds
// and when another process asks for them. So a lost message has no lasting effect, and the visitors
// of one process still see each other while Redis is unavailable. Instead of the account or address
// of a visitor it sends a keyed hash, by which the processes count them together. Redis stores only
// such hashes of removed visitors, for an hour. If the processes together have let in more than
// model.MaxVisitors, or too many with the same account or address, the stays of the last ones end.
//
// # Tickets
//
// The ticket of a visitor is a keyed hash of the visitor's id. Every process can check it, and
// nobody can move another visitor without it.
package presence
