package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync/atomic"
	"time"

	"portico/auth"
	"portico/db"
	"portico/db/private"
	"portico/graph/presence"
	"portico/limit"
	"portico/model"
)

// Program holds everything that a Config describes. Set Config and Logger, then call Open,
// Run and Close.
type Program struct {
	Config Config
	Logger *slog.Logger
	// Settings are the settings of Config as operators see them; nil for none.
	Settings []*model.Setting

	// Opened by OpenDatabase.
	DB   *db.DB
	Keys *auth.Keys

	// The other open resources; nil or empty before they are opened.
	cluster     *private.Cluster // nil with a database of the operator's
	databaseURL string
	secret      []byte
	store       store           // nil for commands that need no files
	proxies     []netip.Prefix  // whose X-Forwarded-For is trusted
	limiter     *limit.Limiter  // nil if limits are off, and for commands that do not serve
	rooms       *presence.Rooms // nil for commands that do not serve
	metrics     *metrics        // nil before Open
	tracing     *tracing        // nil if tracing is off
	listeners   []net.Listener  // none for commands that do not serve

	// otherLoopbackTaken reports whether another program listens at the other loopback
	// address, so that files cannot use its name.
	otherLoopbackTaken bool

	// firstAccountLink returns where the first account is created, or "" once there is one;
	// nil before handler.
	firstAccountLink func(ctx context.Context) (string, error)

	// stage holds a stage; probes read it while the program changes it.
	stage     atomic.Int32
	readiness readiness

	// opsServer answers probes and Prometheus at PORTICO_METRICS_ADDR; nil if that is not
	// set.
	opsServer *http.Server
}

// The timeouts of the private Postgres.
const (
	// postgresStartTimeout includes the recovery of the private Postgres after a crash.
	postgresStartTimeout = 5 * time.Minute
	// postgresStopTimeout is the time for a clean shutdown.
	postgresStopTimeout = 10 * time.Second
)

// OpenDatabase opens the database, migrates it, and opens the API keys.
func (p *Program) OpenDatabase(ctx context.Context) error {
	// The user of Postgres must be able to enter the folder, but not to list it.
	if err := os.MkdirAll(p.Config.DataDir, 0o711); err != nil {
		return fmt.Errorf("PORTICO_DATA_DIR: %w", err)
	}
	var err error
	if p.secret, err = p.Config.secret(); err != nil {
		return err
	}
	if p.databaseURL = p.Config.DatabaseURL; p.databaseURL == "" {
		return p.openPrivate(ctx)
	}
	if err := p.connect(ctx, cmp.Or(p.Config.MigrateURL, p.databaseURL)); err != nil {
		if errors.Is(err, db.ErrNotOwner) {
			return fmt.Errorf("PORTICO_MIGRATE_DATABASE_URL: %w", err)
		}
		return fmt.Errorf("PORTICO_DATABASE_URL: %w", err)
	}
	return nil
}

// openPrivate starts the private Postgres, or connects to the one that another
// process of Portico runs.
func (p *Program) openPrivate(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, postgresStartTimeout)
	defer cancel()
	cluster, err := private.Start(starting, private.Options{Dir: p.Config.DataDir, Logger: p.Logger})
	if err != nil {
		return err
	}
	p.cluster, p.databaseURL = cluster, cluster.URL()
	return p.connect(ctx, cluster.OwnerURL())
}

// connect migrates the schema with the role of the owner's address and opens the database. A
// program works only with the schema of its own version.
func (p *Program) connect(ctx context.Context, owner string) error {
	err := db.Migrate(ctx, owner, p.databaseURL, p.Logger)
	if err != nil {
		return err
	}
	p.DB, err = db.Open(ctx, db.Options{URL: p.databaseURL, Logger: p.Logger, Tracer: p.tracing.tracer()})
	if err != nil {
		return err
	}
	p.Keys, err = auth.NewKeys(p.DB, p.secret)
	return err
}

// Open opens the database and the store, for a server or a worker.
func (p *Program) Open(ctx context.Context) (err error) {
	if p.tracing, err = startTracing(ctx); err != nil {
		return err
	}
	if err := p.OpenDatabase(ctx); err != nil {
		return err
	}
	p.metrics = newMetrics(p)
	if err := p.openStore(ctx); err != nil {
		return err
	}
	p.stage.Store(int32(running))
	return nil
}

// openLimiter creates the limiter. It does not connect to Redis yet, which may start later.
func (p *Program) openLimiter() (err error) {
	if p.proxies, err = limit.ParseProxies(p.Config.TrustedProxies); err != nil {
		return fmt.Errorf("PORTICO_TRUSTED_PROXIES: %w", err)
	}
	if !p.Config.RateLimits.On() {
		return nil
	}
	p.limiter, err = limit.New(limit.Options{
		RedisURL: p.Config.RedisURL, TrustedProxies: p.proxies, Logger: p.Logger, Limits: p.Config.RateLimits.scopes,
		Refused: func(s limit.Scope) { p.metrics.refusals.WithLabelValues(string(s)).Inc() },
	})
	if err != nil {
		return fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	return nil
}

// openRooms creates the rooms in which visitors of spaces see each other.
func (p *Program) openRooms() (err error) {
	p.rooms, err = presence.New(presence.Options{Secret: p.secret, RedisURL: p.Config.RedisURL, Logger: p.Logger})
	if err != nil {
		return fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	p.metrics.gaugeVisitors(p.rooms)
	return nil
}

// Close closes everything that is open, the private Postgres last. Call it after a failed
// Open too.
func (p *Program) Close() error {
	var errs []error
	for _, listener := range p.listeners {
		_ = listener.Close() // fails if serve has closed it already
	}
	if p.opsServer != nil {
		_ = p.opsServer.Close() // cuts off nothing but probes and scrapes
	}
	errs = append(errs, p.limiter.Close(), p.rooms.Close())
	if p.store != nil {
		errs = append(errs, p.store.Close())
	}
	if p.DB != nil {
		errs = append(errs, p.DB.Close())
	}
	p.tracing.close(p.Logger)
	if p.cluster != nil {
		ctx, cancel := context.WithTimeout(context.Background(), postgresStopTimeout)
		defer cancel()
		errs = append(errs, p.cluster.Stop(ctx))
	}
	return errors.Join(errs...)
}
