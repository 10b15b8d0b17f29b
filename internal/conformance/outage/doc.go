// Package outage stops Postgres under a running server, and checks what every door responds until
// Postgres runs again. It contains only tests.
package outage
