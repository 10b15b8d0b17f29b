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
	"portico/limit"
)

// Program is everything that a Config asks for, wired once. Open it, Run what
// was opened, and Close it; the zero value with a Config and a Logger is ready
// to be opened.
type Program struct {
	Config Config
	Logger *slog.Logger

	// Opened by OpenDatabase.
	DB   *db.DB
	Keys *auth.Keys

	// What else is open; nil, or empty, before.
	cluster     *private.Cluster // nil when the database is elsewhere
	databaseURL string
	secret      []byte
	store       store          // nil for commands that need no files
	proxies     []netip.Prefix // whose X-Forwarded-For is believed
	limiter     *limit.Limiter // nil when limits are off, and for commands that serve nothing
	metrics     *metrics       // of what is opened; nil before Open
	tracing     *tracing       // nil where nothing is traced
	listeners   []net.Listener // none for commands that serve nothing
	shared      bool           // files cannot have the other loopback name

	// stage is read by probes while others change it.
	stage atomic.Int32
	// readiness answers those probes.
	readiness readiness

	// inside is for those who watch over the program; nil where they have no address
	// of their own.
	inside *http.Server
}

const (
	// startTime bounds the start of the private Postgres, which after a crash
	// has to recover first.
	startTime = 5 * time.Minute
	// closeTime is what the private Postgres may take to end.
	closeTime = 10 * time.Second
)

// OpenDatabase opens what every command needs: the database, migrated, and the
// keys.
func (p *Program) OpenDatabase(ctx context.Context) error {
	// Others may pass through it, as Postgres' user must, but not look around.
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

// openPrivate starts the private Postgres, or shares the one that another
// command runs.
func (p *Program) openPrivate(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	cluster, err := private.Start(starting, private.Options{Dir: p.Config.DataDir, Logger: p.Logger})
	if err != nil {
		return err
	}
	p.cluster, p.databaseURL = cluster, cluster.URL()
	return p.connect(ctx, cluster.OwnerURL())
}

// connect brings the schema up to date as the role of the address owner, before
// anything reads it: the program and its schema are of one version.
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

// Open opens what the server and the worker need: the database and the store.
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

// openLimiter makes what counts requests. Redis need not be there yet.
func (p *Program) openLimiter() (err error) {
	if p.proxies, err = limit.ParseProxies(p.Config.TrustedProxies); err != nil {
		return fmt.Errorf("PORTICO_TRUSTED_PROXIES: %w", err)
	}
	if !p.Config.RateLimits {
		return nil
	}
	p.limiter, err = limit.New(limit.Options{
		RedisURL: p.Config.RedisURL, TrustedProxies: p.proxies, Logger: p.Logger,
		Refused: func(s limit.Scope) { p.metrics.refusals.WithLabelValues(string(s)).Inc() },
	})
	if err != nil {
		return fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	return nil
}

// Close closes what was opened, the private Postgres last. It may be called
// after an Open that failed.
func (p *Program) Close() error {
	var errs []error
	for _, listener := range p.listeners {
		_ = listener.Close() // serve has closed it when it ran, which is no error here
	}
	if p.inside != nil {
		_ = p.inside.Close() // whoever asks for metrics now has none
	}
	errs = append(errs, p.limiter.Close())
	if p.store != nil {
		errs = append(errs, p.store.Close())
	}
	if p.DB != nil {
		errs = append(errs, p.DB.Close())
	}
	p.tracing.close(p.Logger)
	if p.cluster != nil {
		ctx, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		errs = append(errs, p.cluster.Stop(ctx))
	}
	return errors.Join(errs...)
}
