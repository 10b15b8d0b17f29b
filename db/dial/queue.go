package dial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// OpenQueue opens a pool of pgx for an address, which River and COPY need.
func OpenQueue(ctx context.Context, address string, connections int32) (*pgxpool.Pool, error) {
	a, err := Parse(address)
	if err != nil {
		return nil, err
	}
	return a.OpenQueue(ctx, connections)
}

// OpenQueue is the function OpenQueue for an address that is parsed.
func (a *Address) OpenQueue(ctx context.Context, connections int32) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig("") // a pool must begin with one that is parsed
	if err != nil {
		return nil, errors.New("an environment variable of PostgreSQL has a value that cannot be used")
	}
	config.ConnConfig.Config = *a.config
	config.ConnConfig.RuntimeParams = map[string]string{"application_name": cmp.Or(a.applicationName, "portico queue")}
	setup := a.setup(nil, nil)
	config.ConnConfig.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		_, err := conn.Exec(ctx, setup).ReadAll()
		return err
	}
	config.BeforeConnect = func(_ context.Context, config *pgx.ConnConfig) error {
		var attempts []*pgconn.FallbackConfig
		for _, server := range a.hosts.order() {
			attempts = append(attempts, a.hosts.servers[server]...)
		}
		config.Host, config.Port, config.TLSConfig, config.Fallbacks = attempts[0].Host, attempts[0].Port, attempts[0].TLSConfig, attempts[1:]
		return nil
	}
	config.PrepareConn = func(_ context.Context, conn *pgx.Conn) (bool, error) { return mayServe(conn.PgConn().Conn()), nil }
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the queue's connections: %w", err)
	}
	return pool, nil
}

// ContextError returns the error of ctx if ctx has ended, otherwise err. pgdriver gives
// its socket the deadline of ctx, and returns the socket's error when that is first.
func ContextError(ctx context.Context, err error) error {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		return context.DeadlineExceeded
	}
	return cmp.Or(ctx.Err(), err)
}
