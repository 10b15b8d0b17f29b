package worker

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/model"
	"portico/worker/webhook"
)

// Webhooks are the settings of webhooks.
type Webhooks struct {
	// Open decrypts the secret of a webhook.
	Open func(webhookID string, sealed []byte) (string, error)
	// Allowed are networks that events may be sent to although they are not public.
	Allowed []netip.Prefix
	// DisableAfter is how long a webhook may fail before it is disabled.
	DisableAfter time.Duration
	// LogAge is how long an ended delivery is kept.
	LogAge time.Duration
}

const (
	// webhookInterval is how often a worker looks for events.
	webhookInterval = time.Second
	// maxWebhookJobs is how many streams a worker sends at the same time.
	maxWebhookJobs = 8
	// maxDeliveriesInARow and maxTurn are how many events a stream sends, and for how long,
	// before others have their turn.
	maxDeliveriesInARow = 50
	maxTurn             = 30 * time.Second
	// webhookBatch is how many streams, or changed spaces, one look takes.
	webhookBatch = 200
	// webhookTimeout limits a turn of a stream.
	webhookTimeout = 5 * time.Minute
)

// retryDelays returns the waits before further attempts: the schedule that the Standard Webhooks
// specification suggests, which ends after three days.
func retryDelays() []time.Duration {
	const minute, hour = time.Minute, time.Hour
	return []time.Duration{
		5 * time.Second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour,
	}
}

// retryDelay returns the wait after an attempt, up to a tenth longer, so that the events of an
// outage do not all come back at once; 0 after the last attempt.
func retryDelay(event model.WebhookEvent, attempts int) time.Duration {
	delays := retryDelays()
	if event == model.WebhookTest || attempts > len(delays) {
		return 0
	}
	delay := delays[max(attempts, 1)-1]
	return delay + rand.N(delay/10) //nolint:gosec // spreads load, no secret
}

// webhookArgs are the arguments that db.EnqueueDeliveries stores.
type webhookArgs struct {
	WebhookID string `json:"webhook_id"`
	Stream    string `json:"stream"`
}

// Kind implements river.JobArgs.
func (webhookArgs) Kind() string { return db.WebhookKind }

// webhookWorker sends the events of one stream, in order.
type webhookWorker struct {
	river.WorkerDefaults[webhookArgs]
	w      *Worker
	sender *webhook.Sender
}

// Timeout implements river.Worker.
func (h *webhookWorker) Timeout(*river.Job[webhookArgs]) time.Duration { return webhookTimeout }

// NextRetry implements river.Worker. Only errors of our own are retried by River: a receiver
// that fails is tried again at the time that its delivery says.
func (h *webhookWorker) NextRetry(job *river.Job[webhookArgs]) time.Time {
	return nextRetry(job.Attempt)
}

// Work implements river.Worker.
func (h *webhookWorker) Work(ctx context.Context, job *river.Job[webhookArgs]) error {
	defer h.w.hold(job.ID)()
	started := time.Now()
	for n := 0; n < maxDeliveriesInARow && time.Since(started) < maxTurn; n++ {
		sent, err := h.deliver(ctx, job.Args)
		switch {
		case errors.Is(ctx.Err(), context.Canceled): // the process stops
			return river.JobSnooze(0)
		case err != nil:
			h.w.Logger.Warn("webhook will be tried again", "webhook", job.Args.WebhookID, "error", err)
			return err
		case !sent:
			return nil
		}
	}
	return nil // the next look enqueues the rest
}

// deliver makes one attempt at the oldest event of the stream. It reports false when no event is
// due, and when the attempt failed: later events wait for it. A process that is killed between
// the answer and its record sends the event again, with the same id.
func (h *webhookWorker) deliver(ctx context.Context, args webhookArgs) (sent bool, err error) {
	delivery, to, err := h.w.DB.StartDelivery(ctx, args.WebhookID, args.Stream)
	if err != nil || delivery == nil {
		return false, err
	}
	secrets, err := h.secrets(to)
	if err != nil {
		return false, err
	}
	answer := h.sender.Send(ctx, webhook.Message{ID: delivery.ID, URL: to.URL, Body: delivery.Payload, Secrets: secrets})
	if answer.Error != "" && ctx.Err() != nil { // cut off, which is not the receiver's fault
		return false, ctx.Err()
	}
	result := db.DeliveryResult{
		Delivered: answer.Error == "", Status: answer.Status, Error: answer.Error, Duration: answer.Duration, Gone: answer.Gone(),
	}
	if !result.Delivered && !result.Gone {
		result.Retry = retryDelay(delivery.Type, delivery.Attempts)
	}
	h.w.Logger.Info("webhook sent", "webhook", to.ID, "delivery", delivery.ID, "event", delivery.Type,
		"attempt", delivery.Attempts, "delivered", result.Delivered, "status", result.Status, "duration", result.Duration)
	return result.Delivered, h.w.DB.EndAttempt(context.WithoutCancel(ctx), delivery, result, h.w.Webhooks.DisableAfter)
}

// secrets returns the secrets that sign: the current one, and a former one that has not ended.
func (h *webhookWorker) secrets(to *model.Webhook) ([]string, error) {
	current, err := h.w.Webhooks.Open(to.ID, to.Sealed)
	if err != nil {
		return nil, err
	}
	secrets := []string{current}
	if to.FormerSealed != nil && time.Now().Before(to.FormerUntil.Time) {
		former, err := h.w.Webhooks.Open(to.ID, to.FormerSealed)
		if err != nil {
			return nil, err
		}
		secrets = append(secrets, former)
	}
	return secrets, nil
}

// lookForEvents enqueues the events that are due, again and again until ctx ends.
func (w *Worker) lookForEvents(ctx context.Context) {
	ticker := time.NewTicker(webhookInterval)
	defer ticker.Stop()
	for {
		if err := w.enqueueEvents(ctx); err != nil && ctx.Err() == nil {
			w.Logger.Warn("look for events of webhooks", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// enqueueEvents turns the recorded changes of entities into events, and enqueues the events that
// are due. It costs little while no account with a webhook writes.
func (w *Worker) enqueueEvents(ctx context.Context) error {
	spaces, err := w.DB.ChangedSpacesWithWebhooks(ctx, webhookBatch)
	if err != nil {
		return err
	}
	for _, id := range spaces {
		if _, err := w.DB.RecordVersions(ctx, id, w.History, purgeBatch); err != nil {
			return err
		}
	}
	_, err = w.DB.EnqueueDeliveries(ctx, webhookBatch)
	return err
}
