package observe

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"portico/db"
	"portico/graph"
	"portico/graph/presence"
	"portico/internal/background"
	"portico/worker"
)

// Metrics are the metrics at /metrics. docs/operations.md explains each.
//
// Labels have few values: routes instead of paths, and known methods. Each combination is a time
// series that Prometheus keeps.
type Metrics struct {
	registry *prometheus.Registry // not the global registry, to which libraries add metrics
	Handler  http.Handler         // handles requests of Prometheus
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	sent     *prometheus.CounterVec
	received *prometheus.CounterVec
	Refusals *prometheus.CounterVec
	streams  prometheus.Gauge
	jobs     *prometheus.HistogramVec
	waits    *prometheus.HistogramVec
	confined *prometheus.GaugeVec
	Counted  RequestCount // for the plots of operators
}

// NewMetrics returns the metrics of this process, which has a version, and of its database. isStopping
// reports whether the database may be closed.
func NewMetrics(version string, database *db.DB, logger *slog.Logger, isStopping func() bool) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "portico_http_requests_total", Help: "Requests, by method, route and status.",
		}, []string{"method", "route", "code"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "portico_http_request_seconds", Help: "Duration of requests, without subscriptions.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60, 600},
		}, []string{"method", "route"}),
		sent: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "portico_http_sent_bytes_total", Help: "Bytes of response bodies, by route.",
		}, []string{"route"}),
		received: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "portico_http_received_bytes_total", Help: "Bytes of request bodies, by route.",
		}, []string{"route"}),
		Refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "portico_limits_hit_total", Help: "Operations that a rate limit refused, by scope.",
		}, []string{"scope"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "portico_streams", Help: "Open sockets and event streams.",
		}),
		jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "portico_job_seconds", Help: "Duration of attempts at jobs, by kind and outcome.",
			Buckets: prometheus.ExponentialBuckets(.05, 4, 10), // to 3.6 hours
		}, []string{"kind", "outcome"}),
		waits: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "portico_job_wait_seconds", Help: "Time that jobs waited for a worker, by kind.",
			Buckets: prometheus.ExponentialBuckets(.01, 4, 10), // to 44 minutes
		}, []string{"kind"}),
		confined: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "portico_confinement", Help: "Whether conversions of this process are confined, by measure.",
		}, []string{"measure"}),
	}
	m.registry.MustRegister(m.requests, m.latency, m.sent, m.received, m.Refusals, m.streams, m.jobs, m.waits, m.confined, &databaseCollector{database: database, logger: logger, isStopping: isStopping},
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "portico_build_info", Help: "Always 1, with the version of the program.", ConstLabels: prometheus.Labels{"version": version},
		}, func() float64 { return 1 }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.Handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return m
}

// RegisterSubscriptions reports the open subscriptions of all transports.
func (m *Metrics) RegisterSubscriptions(r *graph.Resolver) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "portico_subscriptions", Help: "Open GraphQL subscriptions; a socket may have several.",
	}, func() float64 { return float64(r.OpenSubscriptions()) }))
}

// RegisterVisitors reports the visitors who are connected to this process.
func (m *Metrics) RegisterVisitors(rooms *presence.Rooms) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "portico_visitors", Help: "Visitors who are in a space and connected to this process.",
	}, func() float64 { return float64(rooms.Visitors()) }))
}

// SetConfinement reports which measures confine conversions.
func (m *Metrics) SetConfinement(measures map[string]bool) {
	for measure, works := range measures {
		value := 0.0
		if works {
			value = 1
		}
		m.confined.WithLabelValues(measure).Set(value)
	}
}

// ObserveAttempt counts an attempt at a job. It is worker.Options.Observe.
func (m *Metrics) ObserveAttempt(a worker.Attempt) {
	m.jobs.WithLabelValues(a.Kind, string(a.Outcome)).Observe(a.Took.Seconds())
	m.waits.WithLabelValues(a.Kind).Observe(a.Waited.Seconds())
}

// CountRequests counts each request when it ends. It counts streams while they are open, and
// records no latency for them: their hours would hide all other values.
func (m *Metrics) CountRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, response := time.Now(), RecordStatus(w, r)
		// The router of the API stores the matched route in this context.
		matched := chi.NewRouteContext()
		body := &countedBody{ReadCloser: r.Body}
		if r.Body != http.NoBody {
			r.Body = body
		}
		stream := IsStream(r)
		if stream {
			m.streams.Inc()
		}
		defer func() { // deferred, so that a request that panics counts too
			method, route := methodLabel(r.Method), routeLabel(r.URL.Path, matched.RoutePattern())
			status := outcome(response, r)
			m.Counted.Add(r.URL.Path, status)
			m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
			m.sent.WithLabelValues(route).Add(float64(response.BytesWritten()))
			m.received.WithLabelValues(route).Add(float64(body.bytes.Load()))
			if stream {
				m.streams.Dec()
				return
			}
			m.latency.WithLabelValues(method, route).Observe(time.Since(start).Seconds())
		}()
		next.ServeHTTP(response, r.WithContext(context.WithValue(r.Context(), chi.RouteCtxKey, matched)))
	})
}

// countedBody counts the bytes that are read. The count is atomic, because a goroutine may
// still read after the handler has returned.
type countedBody struct {
	io.ReadCloser
	bytes atomic.Int64
}

// Read implements io.Reader.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	return n, err
}

// DatabaseTimeout limits each statement on the database.
const DatabaseTimeout = 5 * time.Second

// requestCountInterval is the time between two writes of the counts.
const requestCountInterval = 15 * time.Second

// RequestCount counts the requests of this process that are not stored in the database yet. The
// zero value is ready for use.
//
// The errors are swapped before the requests, so errors are never more than requests.
type RequestCount struct{ requests, errors atomic.Int64 }

// Add counts a finished request. It does not count probes, which arrive every few seconds even
// if nobody uses the server.
func (c *RequestCount) Add(path string, status int) {
	if slices.Contains([]string{"/livez", "/readyz", "/metrics"}, path) {
		return
	}
	c.requests.Add(1)
	if status >= 500 {
		c.errors.Add(1)
	}
}

// addRequests adds counts to the ones in the database.
type addRequests func(ctx context.Context, requests, failures int64) error

// Store calls add with the counts since the last call, and keeps them for the next call if add
// fails. It waits for at most DatabaseTimeout, even if ctx ends: Postgres may have committed a
// statement that was canceled, whose counts the next call would add again.
func (c *RequestCount) Store(ctx context.Context, add addRequests) error {
	failures := c.errors.Swap(0)
	requests := c.requests.Swap(0)
	if requests == 0 {
		c.errors.Add(failures)
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), DatabaseTimeout)
	defer cancel()
	err := add(ctx, requests, failures)
	if err != nil {
		c.requests.Add(requests)
		c.errors.Add(failures)
	}
	return err
}

// StartStoring stores the counts at intervals until stop is called. stop stores the last counts,
// and returns when the loop has ended, or when its context ends.
func (c *RequestCount) StartStoring(add addRequests, logger *slog.Logger) (stop func(context.Context)) {
	// An error is only logged: the counts are stored later, and only the plots of operators use them.
	// As long as stores fail there are counts, so each result is of a statement.
	var outage background.OutageLog
	storeOnce := func(ctx context.Context) {
		outage.Record(logger, c.Store(ctx, add), "store the counts of requests", "the counts of requests are stored again")
	}
	var loop background.Group
	loop.Go(func(ctx context.Context) {
		ticker := time.NewTicker(requestCountInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			storeOnce(ctx)
		}
	})
	return func(ctx context.Context) {
		err := background.Within(ctx, func() error {
			loop.Stop()
			storeOnce(ctx) // the requests that were handled since the last store
			return nil
		})
		if err != nil {
			logger.Warn("store the last counts of requests", "error", err)
		}
	}
}

// databaseCollector reads the connection pool and the job queue when Prometheus scrapes. Each
// process reports its own pool. All processes report the same queue, so a query must use max of
// its values, not sum.
type databaseCollector struct {
	database   *db.DB
	logger     *slog.Logger
	isStopping func() bool
	outage     background.OutageLog
}

// descriptions returns the descriptions of the metrics that Collect reads.
func (*databaseCollector) descriptions() (connections, waits, waited, jobs, oldest *prometheus.Desc) {
	return prometheus.NewDesc("portico_db_connections", "Connections to the database of this process, by state.", []string{"state"}, nil),
		prometheus.NewDesc("portico_db_waits_total", "Number of waits for a connection.", nil, nil),
		prometheus.NewDesc("portico_db_wait_seconds_total", "Total time waited for connections.", nil, nil),
		prometheus.NewDesc("portico_queue_jobs", "Unfinished jobs of all processes, by kind and state.", []string{"kind", "state"}, nil),
		prometheus.NewDesc("portico_queue_oldest_seconds", "Age of the oldest job that could run now, by kind and state.", []string{"kind", "state"}, nil)
}

// Describe implements prometheus.Collector.
func (c *databaseCollector) Describe(descriptions chan<- *prometheus.Desc) {
	connections, waits, waited, jobs, oldest := c.descriptions()
	for _, description := range []*prometheus.Desc{connections, waits, waited, jobs, oldest} {
		descriptions <- description
	}
}

// Collect implements prometheus.Collector. It omits the queue while the database does not answer,
// which readyz reports, and while the program stops.
//
// It runs a query for each scrape, with a timeout shorter than the timeout of Prometheus (10
// seconds by default).
func (c *databaseCollector) Collect(metrics chan<- prometheus.Metric) {
	connections, waits, waited, jobs, oldest := c.descriptions()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	pool := c.database.PoolStats()
	gauge(connections, float64(pool.InUse), "in_use")
	gauge(connections, float64(pool.Idle), "idle")
	metrics <- prometheus.MustNewConstMetric(waits, prometheus.CounterValue, float64(pool.WaitCount))
	metrics <- prometheus.MustNewConstMetric(waited, prometheus.CounterValue, pool.WaitDuration.Seconds())

	if c.isStopping() {
		return // the database may be closed
	}
	ctx, cancel := context.WithTimeout(context.Background(), DatabaseTimeout)
	defer cancel()
	queue, err := c.database.Queue().QueueLengths(ctx)
	c.outage.Record(c.logger, err, "metrics lack the queue", "metrics have the queue again")
	for _, q := range queue {
		gauge(jobs, float64(q.Jobs), q.Kind, q.State)
		gauge(oldest, q.Oldest.Seconds(), q.Kind, q.State)
	}
}
