package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/internal/background"
	"portico/model"
	"portico/worker/webhook"
)

// Webhooks configures how a worker sends events.
type Webhooks struct {
	// Open decrypts the secret of a webhook. Without it a worker sends no events.
	Open func(webhookID string, sealed []byte) (string, error)
	// Allowed are the networks that receive events although they are not public. Nil allows public
	// addresses only.
	Allowed []netip.Prefix
	// DisableAfter is how long a webhook may fail before it is disabled.
	DisableAfter time.Duration
	// LogAge is how long an ended delivery is kept.
	LogAge time.Duration
}

const (
	// webhookInterval is how often a worker polls for events.
	webhookInterval = time.Second
	// maxWebhookJobs is how many streams a worker sends at the same time.
	maxWebhookJobs = 16
	// maxDeliveriesPerJob and maxSendTime limit how many events a job of a stream sends, and
	// for how long. Then other streams get its place.
	maxDeliveriesPerJob = 50
	maxSendTime         = 30 * time.Second
	// slowAnswer is from when on a receiver is slow. It gets one event, and waits for the receivers of
	// other accounts before the next (db.RankQueue).
	slowAnswer = time.Second
	// webhookBatch is how many streams, or changed spaces, one poll handles.
	webhookBatch = 200
	// webhookTimeout limits a job of a stream. It is longer than maxSendTime, because the last
	// request may start just before that time is over.
	webhookTimeout = 5 * time.Minute
	// unsignedRetryDelay is the wait before another attempt at an event that could not be signed.
	unsignedRetryDelay = 5 * time.Minute
)

// retryDelays returns the waits before further attempts: the schedule that the Standard Webhooks
// specification suggests, which ends after three days.
func retryDelays() []time.Duration {
	const minute, hour = time.Minute, time.Hour
	return []time.Duration{
		5 * time.Second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour,
	}
}

// retryDelay returns the wait after this number of attempts; 0 means no more attempts. It adds
// up to a tenth at random, so that the events of an outage are not all sent again at the same
// time.
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

// NextRetry implements river.Worker. River retries errors of this server only: the delivery's
// row says when a receiver that failed is tried again.
func (h *webhookWorker) NextRetry(job *river.Job[webhookArgs]) time.Time {
	return nextRetry(job.Attempt)
}

// Work implements river.Worker. db.EnqueueDeliveries enqueues no second job of a stream while one
// is unfinished, so a receiver gets the events in order.
func (h *webhookWorker) Work(ctx context.Context, job *river.Job[webhookArgs]) error {
	defer h.w.holdLease(job.ID)()
	started := time.Now()
	for n := 0; n < maxDeliveriesPerJob && time.Since(started) < maxSendTime; n++ {
		sending := time.Now()
		sent, err := h.deliver(ctx, job.Args)
		switch {
		case errors.Is(ctx.Err(), context.Canceled): // the process stops
			return river.JobSnooze(0)
		case err != nil:
			h.w.Logger.Warn("webhook will be tried again", "webhook_id", job.Args.WebhookID, "error", err)
			return err
		case !sent, time.Since(sending) > slowAnswer:
			return nil
		}
	}
	return nil // the next poll enqueues the other events
}

// deliver makes one attempt at the oldest event of the stream. It reports false when no event is
// due, and when the attempt failed: later events wait for it. A process that is killed between
// the response and its record sends the event again, with the same id.
func (h *webhookWorker) deliver(ctx context.Context, args webhookArgs) (sent bool, err error) {
	delivery, hook, err := h.w.DB.Webhooks().StartDelivery(ctx, args.WebhookID, args.Stream)
	if err != nil || delivery == nil {
		return false, err
	}
	secrets, err := h.secrets(hook)
	if err != nil {
		h.w.Logger.Warn("webhook cannot be signed", "webhook_id", hook.ID, "error", err)
		return false, h.endUnsigned(ctx, delivery)
	}
	response := h.sender.Send(ctx, webhook.Message{ID: delivery.ID, URL: hook.URL, Body: delivery.Payload, Secrets: secrets})
	if response.Failure != nil && ctx.Err() != nil { // canceled, which is not the receiver's fault
		return false, errors.Join(ctx.Err(), h.w.DB.Webhooks().UncountAttempt(context.WithoutCancel(ctx), delivery))
	}
	result := db.DeliveryResult{
		Delivered: response.Failure == nil, Status: response.Status, Failure: response.Failure, Duration: response.Duration, Gone: response.Gone(),
	}
	// 410 Gone means that the receiver wants no more events, so it is not retried (Standard
	// Webhooks).
	if !result.Delivered && !result.Gone {
		result.Retry = retryDelay(delivery.Type, delivery.Attempts)
	}
	h.w.Logger.Info("webhook sent", "webhook_id", hook.ID, "delivery_id", delivery.ID, "event", delivery.Type,
		"attempt", delivery.Attempts, "delivered", result.Delivered, "status", result.Status, "duration", result.Duration)
	return result.Delivered, h.w.DB.Webhooks().EndAttempt(context.WithoutCancel(ctx), delivery, result, h.w.Webhooks.DisableAfter)
}

// endUnsigned ends an attempt at an event that could not be signed, because the server's secret was
// changed. The server's secret may be restored, so no event is given up before the webhook has
// failed for as long as any other.
func (h *webhookWorker) endUnsigned(ctx context.Context, delivery *model.WebhookDelivery) error {
	result := db.DeliveryResult{Failure: &model.WebhookFailure{Reason: model.WebhookFailureSecret}, Uncounted: true}
	if delivery.Type != model.WebhookTest {
		result.Retry = unsignedRetryDelay
	}
	return h.w.DB.Webhooks().EndAttempt(context.WithoutCancel(ctx), delivery, result, h.w.Webhooks.DisableAfter)
}

// secrets returns the secrets that sign an event: the current secret, and the former one until
// it expires. Receivers can change to the new secret in that time. A former secret that cannot be
// decrypted is left out, so that deliveries work again once the owner has made a new secret.
func (h *webhookWorker) secrets(to *model.Webhook) ([]string, error) {
	current, err := h.w.Webhooks.Open(to.ID, to.Sealed)
	if err != nil {
		return nil, err
	}
	secrets := []string{current}
	if to.FormerSealed != nil && time.Now().Before(to.FormerUntil.Time) {
		if former, err := h.w.Webhooks.Open(to.ID, to.FormerSealed); err == nil {
			secrets = append(secrets, former)
		}
	}
	return secrets, nil
}

// pollEvents enqueues the events that are due, now and at every interval until ctx ends.
func (w *Worker) pollEvents(ctx context.Context) {
	var outage background.OutageLog
	ticker := time.NewTicker(webhookInterval)
	defer ticker.Stop()
	for {
		w.pollEventsOnce(ctx, &outage)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (w *Worker) pollEventsOnce(ctx context.Context, outage *background.OutageLog) {
	err := w.enqueueEvents(ctx)
	if ctx.Err() == nil {
		outage.Record(w.Logger, err, "poll for events of webhooks", "the polls for events of webhooks succeed again")
	}
}

// enqueueEvents turns the recorded changes of entities into events, and enqueues the events that
// are due. It costs little while no account with a webhook changes anything. The changes of an
// account whose history is held, for example by a restore, wait for a later call.
func (w *Worker) enqueueEvents(ctx context.Context) error {
	spaces, err := w.DB.Webhooks().ChangedSpacesWithWebhooks(ctx, webhookBatch)
	if err != nil {
		return err
	}
	var errs []error // a space whose changes cannot be recorded does not delay the others
	for _, id := range spaces {
		if _, err := w.DB.History().RecordFreeVersions(ctx, id, w.History, purgeBatch); err != nil {
			errs = append(errs, fmt.Errorf("record the changes of %s: %w", id, err))
		}
	}
	_, err = w.DB.Queue().EnqueueDeliveries(ctx, webhookBatch)
	return errors.Join(append(errs, err)...)
}
