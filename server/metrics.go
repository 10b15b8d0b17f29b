package server

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"portico/graph"
	"portico/graph/presence"
	"portico/model"
	"portico/worker"
)

// metrics are what Prometheus reads at /metrics. docs/operations.md explains each.
type metrics struct {
	registry *prometheus.Registry // not the global one, where libraries register themselves
	handler  http.Handler         // answers Prometheus
	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	sent     *prometheus.CounterVec
	received *prometheus.CounterVec
	refusals *prometheus.CounterVec
	streams  prometheus.Gauge
	jobs     *prometheus.HistogramVec
	waits    *prometheus.HistogramVec
	confined *prometheus.GaugeVec
	counted  requestCount // for the plots of operators
}

// newMetrics returns the metrics of this process and of the program's database.
func newMetrics(p *Program) *metrics {
	m := &metrics{
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
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
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
	m.registry.MustRegister(m.requests, m.latency, m.sent, m.received, m.refusals, m.streams, m.jobs, m.waits, m.confined, databaseCollector{p},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return m
}

// gaugeSubscriptions reports the open subscriptions of all transports.
func (m *metrics) gaugeSubscriptions(r *graph.Resolver) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "portico_subscriptions", Help: "Open GraphQL subscriptions; a socket may have several.",
	}, func() float64 { return float64(r.Subscriptions()) }))
}

// gaugeVisitors reports the visitors who are connected to this process.
func (m *metrics) gaugeVisitors(rooms *presence.Rooms) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "portico_visitors", Help: "Visitors who are in a space and connected to this process.",
	}, func() float64 { return float64(rooms.Visitors()) }))
}

// gaugeConfinement reports which measures confine conversions.
func (m *metrics) gaugeConfinement(measures map[string]bool) {
	for measure, works := range measures {
		value := 0.0
		if works {
			value = 1
		}
		m.confined.WithLabelValues(measure).Set(value)
	}
}

// observeAttempt counts an attempt at a job. It is worker.Options.Observe.
func (m *metrics) observeAttempt(a worker.Attempt) {
	m.jobs.WithLabelValues(a.Kind, string(a.Outcome)).Observe(a.Took.Seconds())
	m.waits.WithLabelValues(a.Kind).Observe(a.Waited.Seconds())
}

// countRequests counts each request when it ends. Streams are counted while they are open,
// and have no latency: their hours would hide all other values.
func (m *metrics) countRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, answer := time.Now(), recordStatus(w)
		// The API's router stores the route in it.
		matched := chi.NewRouteContext()
		body := &countedBody{ReadCloser: r.Body}
		if r.Body != http.NoBody {
			r.Body = body
		}
		stream := isStream(r)
		if stream {
			m.streams.Inc()
		}
		defer func() { // deferred, so that a request that panics counts too
			method, route := methodLabel(r.Method), routeLabel(r.URL.Path, matched.RoutePattern())
			status := answer.outcome(r)
			m.counted.add(r.URL.Path, status)
			m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
			m.sent.WithLabelValues(route).Add(float64(answer.bytes))
			m.received.WithLabelValues(route).Add(float64(body.bytes.Load()))
			if stream {
				m.streams.Dec()
				return
			}
			m.latency.WithLabelValues(method, route).Observe(time.Since(start).Seconds())
		}()
		next.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), chi.RouteCtxKey, matched)))
	})
}

// countedBody counts the bytes that are read. The count is atomic, because a goroutine may
// still read after the handler has returned.
type countedBody struct {
	io.ReadCloser
	bytes atomic.Int64
}

// Read reads and counts.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	return n, err
}

// methodLabel returns the method, or "other" for unusual ones, so that clients cannot create
// time series.
func methodLabel(method string) string {
	if slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"}, method) {
		return method
	}
	return "other"
}

// routeLabel returns the pattern of a route of the API, the same for both prefixes, or the
// first segment of another known path. A pattern that ends in * belongs to a mounted router
// that found no route.
func routeLabel(path, pattern string) string {
	if pattern == filesRoute || (pattern != "" && !strings.HasSuffix(pattern, "*")) {
		return strings.TrimPrefix(pattern, "/api")
	}
	path = strings.TrimPrefix(strings.Trim(path, "/"), "api/")
	first, rest, _ := strings.Cut(path, "/")
	switch {
	case path == "":
		return "/"
	case model.IsSpaceID(path):
		return "/{spaceId}"
	case path == "v1/mcp":
		return "/v1/mcp"
	case first == "v1":
		return "/v1/*" // no endpoint
	case rest == "" && slices.Contains([]string{
		"graphql", "playground", "openapi.json", "livez", "readyz", "metrics", "login", "signup", "logout", "account",
		"register", "authorize", "token", "revoke", "oembed", "sitemap.xml", "robots.txt", "favicon.svg",
	}, first):
		return "/" + first
	case slices.Contains([]string{"files", "playground", ".well-known", "login", "account", "pages", "u", "embed", "sitemap", "dist", "place"}, first):
		return "/" + first + "/*"
	}
	return "other"
}

// databaseCollector reads the pool and the queue when Prometheus scrapes. Each process
// reports its own pool. All report the same queue, so its values need max, not sum.
type databaseCollector struct{ program *Program }

// descriptions returns the descriptions of the metrics that Collect reads.
func (databaseCollector) descriptions() (connections, waits, waited, jobs, oldest *prometheus.Desc) {
	return prometheus.NewDesc("portico_db_connections", "Connections to the database of this process, by state.", []string{"state"}, nil),
		prometheus.NewDesc("portico_db_waits_total", "Number of waits for a connection.", nil, nil),
		prometheus.NewDesc("portico_db_wait_seconds_total", "Total time waited for connections.", nil, nil),
		prometheus.NewDesc("portico_queue_jobs", "Unfinished jobs of all processes, by kind and state.", []string{"kind", "state"}, nil),
		prometheus.NewDesc("portico_queue_oldest_seconds", "Age of the oldest job that could run now, by kind and state.", []string{"kind", "state"}, nil)
}

// Describe implements prometheus.Collector.
func (c databaseCollector) Describe(to chan<- *prometheus.Desc) {
	connections, waits, waited, jobs, oldest := c.descriptions()
	for _, description := range []*prometheus.Desc{connections, waits, waited, jobs, oldest} {
		to <- description
	}
}

// Collect implements prometheus.Collector. It leaves the queue out while the database
// does not answer, which readyz reports.
func (c databaseCollector) Collect(to chan<- prometheus.Metric) {
	connections, waits, waited, jobs, oldest := c.descriptions()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	pool := c.program.DB.PoolStats()
	gauge(connections, float64(pool.InUse), "in_use")
	gauge(connections, float64(pool.Idle), "idle")
	to <- prometheus.MustNewConstMetric(waits, prometheus.CounterValue, float64(pool.WaitCount))
	to <- prometheus.MustNewConstMetric(waited, prometheus.CounterValue, pool.WaitDuration.Seconds())

	ctx, cancel := context.WithTimeout(context.Background(), dependencyTimeout)
	defer cancel()
	queue, err := c.program.DB.QueueLengths(ctx)
	if err != nil {
		c.program.Logger.Warn("metrics lack the queue", "error", err)
		return
	}
	for _, q := range queue {
		gauge(jobs, float64(q.Jobs), q.Kind, q.State)
		gauge(oldest, q.Oldest.Seconds(), q.Kind, q.State)
	}
}
