package server

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"portico/graph"
	"portico/graph/presence"
	"portico/worker"
)

// metrics are the metrics at /metrics. docs/operations.md explains each.
//
// Labels have few values: routes instead of paths, and known methods. Each combination is a time
// series that Prometheus keeps.
type metrics struct {
	registry *prometheus.Registry // not the global registry, to which libraries add metrics
	handler  http.Handler         // handles requests of Prometheus
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
	m.registry.MustRegister(m.requests, m.latency, m.sent, m.received, m.refusals, m.streams, m.jobs, m.waits, m.confined, &databaseCollector{program: p},
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "portico_build_info", Help: "Always 1, with the version of the program.", ConstLabels: prometheus.Labels{"version": Version()},
		}, func() float64 { return 1 }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return m
}

// registerSubscriptions reports the open subscriptions of all transports.
func (m *metrics) registerSubscriptions(r *graph.Resolver) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "portico_subscriptions", Help: "Open GraphQL subscriptions; a socket may have several.",
	}, func() float64 { return float64(r.OpenSubscriptions()) }))
}

// registerVisitors reports the visitors who are connected to this process.
func (m *metrics) registerVisitors(rooms *presence.Rooms) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "portico_visitors", Help: "Visitors who are in a space and connected to this process.",
	}, func() float64 { return float64(rooms.Visitors()) }))
}

// setConfinement reports which measures confine conversions.
func (m *metrics) setConfinement(measures map[string]bool) {
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

// countRequests counts each request when it ends. It counts streams while they are open, and
// records no latency for them: their hours would hide all other values.
func (m *metrics) countRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, response := time.Now(), recordStatus(w, r)
		// The router of the API stores the matched route in this context.
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
			status := outcome(response, r)
			m.counted.add(r.URL.Path, status)
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
