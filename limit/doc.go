// Package limit counts requests and refuses those over the limits of API section
// 8. The doors use it, each before it decodes: Take counts a request of a Subject
// in its Scope and in the limit of all. Package server makes the one Limiter; a nil
// one refuses nothing.
//
// # Windows
//
// A window is a minute that starts with the first request counted in it
// (contract, Rate limits). A request counts when it passes, in each of its scopes
// at once; one that is refused counts in none. So exactly as many pass in a
// window as the limit says, a client that is impatient in one scope loses nothing
// in the others, and Retry-After, which is what is left of the window, is never
// pushed away by asking again.
//
// # Stores
//
// In memory the counters belong to the process. They take a bounded amount of
// memory, see memory. With a RedisURL all processes share them: one script checks
// and counts the scopes of a request together, in one round trip, by the clock of
// Redis, and leaves nothing behind that does not expire within a minute. The
// script needs Redis 5 or a server that speaks like it, EVAL and EVALSHA among
// the commands that its user may run.
//
// Where Redis does not answer, requests are counted in memory until it does, so
// each process gives the full limits for itself: an outage makes the limits wider
// but neither refuses everybody nor lets everything in. See fallback.
//
// Both stores are our own, and small: ulule/limiter takes one round trip for each
// scope, counts what it refuses, needs Redis to be there at the start, and its
// memory store forgets counts when its cleaner meets a request; go-chi/httprate
// holds a lock over its round trips; GCRA lets more than the limit through in the
// first minute.
package limit
