package dial

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Listen receives the notifications of a channel until its connection fails, which it returns. It
// calls began once, when LISTEN has succeeded, and then received with each payload.
func (a *Address) Listen(ctx context.Context, channel string, began func(), received func(payload string)) error {
	conn, err := a.connectListener(ctx, received)
	if err != nil {
		return err
	}
	defer disconnect(conn)
	for listened := false; ; listened = true {
		if err := a.checkListener(ctx, conn, channel); err != nil {
			return err
		}
		if !listened {
			began()
		}
		if err := a.await(ctx, conn); !pgconn.Timeout(err) || ctx.Err() != nil {
			return err
		}
	}
}

// connectListener connects to the server that target_session_attrs asks for.
func (a *Address) connectListener(ctx context.Context, received func(payload string)) (*pgconn.PgConn, error) {
	return connectFirst(ctx, a.hosts, func(ctx context.Context, server int) (*pgconn.PgConn, error) {
		config := a.configOf(server)
		config.RuntimeParams = map[string]string{"application_name": cmp.Or(a.applicationName, "portico")}
		config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { received(n.Payload) }
		return pgconn.ConnectConfig(ctx, config)
	}, disconnect)
}

// disconnect closes a connection, also one whose server does not answer.
func disconnect(conn *pgconn.PgConn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx) // it has failed, or nothing is left to do with it
}

// checkTimeout is how long the server may take to answer LISTEN.
const checkTimeout = 4 * time.Second

// checkListener sends LISTEN, which fails on a dead connection, and checks that the server is still
// what target_session_attrs asks for.
//
// Of several servers, one that does not answer in time, or is not the primary any more, loses the
// connections of this process: requests that wait for its response fail at once, and the next ones
// find the primary.
func (a *Address) checkListener(ctx context.Context, conn *pgconn.PgConn, channel string) error {
	statements := "LISTEN " + channel
	if a.acceptable != "" {
		statements += "; " + a.acceptable
	}
	limited, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	results, err := conn.Exec(limited, statements).ReadAll()
	if err == nil && len(results) == 2 && string(results[1].Rows[0][0]) != "t" {
		err = ErrNotAcceptable
	}
	server, isStandby := linkOf(conn.Conn()).server, errors.Is(err, ErrNotAcceptable)
	switch {
	case ctx.Err() != nil:
	case a.hosts.areSeveral() && (isStandby || pgconn.Timeout(err)):
		a.hosts.closeLinks(func(l *link) bool { return l.server == server })
	case isStandby:
		a.hosts.retire(server)
	}
	return err
}

// await receives notifications until it is time for the next check: with several servers soon,
// because another one may have become the primary.
func (a *Address) await(ctx context.Context, conn *pgconn.PgConn) (err error) {
	quiet := 10 * time.Second
	if a.hosts.areSeveral() {
		quiet = 2 * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, quiet)
	defer cancel()
	for err == nil {
		err = conn.WaitForNotification(ctx) // calls OnNotification
	}
	return err
}
