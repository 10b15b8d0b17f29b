// Package limit counts requests and refuses what is over the limits of API section 8. Each
// door calls it before it decodes a request: Take counts a request of a Subject in its
// Scope and, unless that is Move, in the scope All. Package server creates the only Limiter.
// A nil Limiter has no limits.
//
// # Windows
//
// A window is a minute that starts with its first request (requirements.md, Rate limits). A
// request that is allowed counts in all of its scopes, and a refused one in none. So a window
// allows exactly the limit, a client that is over the limit of one scope loses nothing in the
// others, and Retry-After, which is the rest of the window, does not increase with repeated
// requests.
//
// # Stores
//
// In memory the counters belong to the process, and their memory is bounded (see memory).
// With a RedisURL all processes share them: one script checks and counts the scopes of a
// request together, in one round trip, by the clock of Redis. All of its keys expire within
// a minute. It needs Redis 5 or a compatible server, whose user may run EVAL and EVALSHA.
//
// While Redis does not answer, each process counts in its memory, up to the full limits. So
// an outage raises the limits by the number of processes; it neither refuses all requests
// nor allows all of them. See fallback.
//
// Attempts to sign in are not requests of API section 8: package internal/counter counts them, by
// windows of the same kind.
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
//     If one request is left, a refused document of 3 operations uses it up.
//   - Its Redis store cannot be created while Redis is down, so the server would not
//     start. When Redis fails later, each request waits 1.7 s and fails; there is
//     no fallback. Ours waits 250 ms once and then counts in memory.
//   - Its store in memory has no bound: a million addresses take 183 MB, where ours
//     take 20 MB. A request costs 7.8 us and 7 allocations, against 3.2 us and 4.
//
// We would still have to write the fallback and the bounded memory, which are the larger part
// of this package. go-chi/httprate holds a mutex during its round trips to Redis. GCRA allows
// more than the limit in the first minute.
package limit
