// Package dial connects to Postgres, with pgdriver for statements and with pgx for the queue, COPY and
// notifications.
//
// pgdriver stays below Bun. What it lacks is here: the parameters of libpq in an address, several
// servers of which one is the primary, TLS that is asked for, and connections that are dropped when
// they may be out of step with their responses (connector).
package dial
