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
// # Attempts
//
// Attempts counts what has limits of its own, such as sign-ins, in the same kind of
// window and in memory only.
//
// # Why the stores are our own
//
// We measured github.com/ulule/limiter v3.11.2 on two shared cores, with requests that
// count in two scopes:
//
//   - It counts each scope alone. With Redis that is two round trips and 97 us for a
//     request, where one script takes one round trip and 30 us. A request that the
//     second scope refuses has counted in the first.
//   - It counts what it refuses: after 8 requests of 5 allowed ones the counter is 8.
//     A document of 3 operations that is refused with one place left uses that up.
//   - Its Redis store cannot be made while Redis is away, so the server would not
//     start. When Redis goes later, each request waits 1.7 s and fails; there is
//     nothing to turn to. Ours waits 250 ms once and then counts in memory.
//   - Its store in memory has no bound: a million addresses take 183 MB, where ours
//     take 20 MB. A request costs 7.8 us and 7 allocations, against 3.2 us and 4.
//
// A fallback and a bound would have to be written around it, which is most of this
// package. go-chi/httprate holds a lock over its round trips, and GCRA lets more than
// the limit through in the first minute.
package limit
