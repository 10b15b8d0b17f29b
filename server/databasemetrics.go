package server

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"portico/internal/background"
)

// databaseCollector reads the connection pool and the job queue when Prometheus scrapes. Each
// process reports its own pool. All processes report the same queue, so a query must use max of
// its values, not sum.
type databaseCollector struct {
	program *Program
	outage  background.OutageLog
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
	pool := c.program.DB.PoolStats()
	gauge(connections, float64(pool.InUse), "in_use")
	gauge(connections, float64(pool.Idle), "idle")
	metrics <- prometheus.MustNewConstMetric(waits, prometheus.CounterValue, float64(pool.WaitCount))
	metrics <- prometheus.MustNewConstMetric(waited, prometheus.CounterValue, pool.WaitDuration.Seconds())

	if c.program.stage.current() == stopping {
		return // the database may be closed
	}
	ctx, cancel := context.WithTimeout(context.Background(), dependencyTimeout)
	defer cancel()
	queue, err := c.program.DB.Queue().QueueLengths(ctx)
	c.outage.Record(c.program.Logger, err, "metrics lack the queue", "metrics have the queue again")
	for _, q := range queue {
		gauge(jobs, float64(q.Jobs), q.Kind, q.State)
		gauge(oldest, q.Oldest.Seconds(), q.Kind, q.State)
	}
}
