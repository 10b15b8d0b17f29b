package worker

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/db"
	"portico/internal/background"
	"portico/internal/testkit/api"
	"portico/model"
	"portico/worker/webhook"
)

// hookSecret is the secret of the webhooks of these tests: the example of the specification.
const hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

type receiver struct {
	*httptest.Server

	mu       sync.Mutex
	received []string // the jobs of accepted events, in order
	ids      []string // the webhook-id of each attempt
	refuse   int      // how many attempts are refused before the others are accepted
}

func newReceiver(t *testing.T, refuse int) *receiver {
	t.Helper()
	r := &receiver{refuse: refuse}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		body, _ := io.ReadAll(request.Body)
		if !verify(request.Header, body) {
			t.Errorf("signature of %s: got one that is not valid", body)
		}
		r.ids = append(r.ids, request.Header.Get("Webhook-Id"))
		if r.refuse--; r.refuse >= 0 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		var event struct{ Data struct{ JobID string } }
		_ = json.Unmarshal(body, &event) // a test event has no job
		r.received = append(r.received, event.Data.JobID)
	}))
	t.Cleanup(r.Close)
	return r
}

// verify reports whether the secret made one of the signatures.
func verify(header http.Header, body []byte) bool {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(hookSecret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	_, _ = io.WriteString(mac, header.Get("Webhook-Id")+"."+header.Get("Webhook-Timestamp")+"."+string(body))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return slices.Contains(strings.Fields(header.Get("Webhook-Signature")), want)
}

func (r *receiver) accepted() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.received)
}

// hooks makes a worker send webhooks. In tests, secrets are stored in plain text.
func hooks(o *Options) {
	o.Webhooks = Webhooks{
		Open:         func(_ string, sealed []byte) (string, error) { return string(sealed), nil },
		Allowed:      []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		DisableAfter: time.Hour, LogAge: time.Hour,
	}
}

func (w *world) addWebhook(t *testing.T, url string) *model.Webhook {
	t.Helper()
	webhook := &model.Webhook{
		ID: model.Token(), UserID: w.user.ID, URL: url, Sealed: []byte(hookSecret), CreatedAt: model.Now(),
		Events: []model.WebhookEvent{model.WebhookJobEnded},
	}
	if err := w.db.Webhooks().AddWebhook(t.Context(), webhook); err != nil {
		t.Fatal(err)
	}
	return webhook
}

// A receiver that fails gets the same event again, and later events after it.
func TestWebhooks_are_sent_in_order_with_retries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := newReceiver(t, 1)
	webhook := w.addWebhook(t, r.URL)
	var want []string
	for range 3 {
		job := w.submitCapture(t, capture)
		if _, err := w.db.Jobs().FailJob(t.Context(), job.ID, 0, model.JobCanceled); err != nil {
			t.Fatal(err)
		}
		want = append(want, job.ID)
	}
	w.start(t, hooks)
	api.Eventually(t, "all events are received", func() bool { return len(r.accepted()) >= len(want) })
	if got := r.accepted(); !slices.Equal(got, want) {
		t.Errorf("events: got %v, want %v", got, want)
	}
	r.mu.Lock()
	if r.ids[0] != r.ids[1] || r.ids[1] == r.ids[2] {
		t.Errorf("ids: got %v, want the first one twice", r.ids)
	}
	r.mu.Unlock()
	api.Eventually(t, "the log has all events", func() bool {
		page, err := w.db.Webhooks().WebhookDeliveries(t.Context(), webhook.ID, model.Page{Limit: 10})
		return err == nil && !slices.ContainsFunc(page.Nodes, func(d *model.WebhookDelivery) bool { return !d.Delivered })
	})
	page, err := w.db.Webhooks().WebhookDeliveries(t.Context(), webhook.ID, model.Page{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := page.Nodes[2]; got.Attempts != 2 || got.ResponseStatus != 200 || got.ErrorText() != "" {
		t.Errorf("first delivery: got %+v, want it delivered at the second attempt", got)
	}
}

// A receiver that returns 410 Gone gets no more events.
func TestWebhooks_stop_at_410(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusGone) }))
	t.Cleanup(gone.Close)
	webhook := w.addWebhook(t, gone.URL)
	job := w.submitCapture(t, capture)
	if _, err := w.db.Jobs().FailJob(t.Context(), job.ID, 0, model.JobCanceled); err != nil {
		t.Fatal(err)
	}
	w.start(t, hooks)
	api.Eventually(t, "the webhook is disabled", func() bool {
		got, err := w.db.Webhooks().Webhook(t.Context(), w.user.ID, webhook.ID)
		return err == nil && !got.Enabled() && got.DisabledCause == model.WebhookGone
	})
}

// Ten failures of this server must not give up an event that its receiver has never refused.
func TestDeliver_counts_no_attempt_that_this_server_did_not_finish(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stopping := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices the end of the connection only then
		stop()
		<-r.Context().Done()
	}))
	t.Cleanup(stopping.Close)
	w := newWorld(t)
	hook := w.addWebhook(t, stopping.URL)
	w.endJob(t)
	if _, err := w.sender(t).deliver(ctx, webhookArgs{WebhookID: hook.ID, Stream: "jobs"}); !errors.Is(err, context.Canceled) {
		t.Errorf("deliver: got %v, want %v", err, context.Canceled)
	}
	if got := w.delivery(t, hook); got.Attempts != 0 {
		t.Errorf("delivery: got %+v, want one after 0 attempts", got)
	}
}

// endJob adds the event of a job that has ended.
func (w *world) endJob(t *testing.T) {
	t.Helper()
	job := w.submitCapture(t, capture)
	if _, err := w.db.Jobs().FailJob(t.Context(), job.ID, 0, model.JobCanceled); err != nil {
		t.Fatal(err)
	}
}

// sender returns a worker that sends webhooks when the test calls it.
func (w *world) sender(t *testing.T, change ...func(*Options)) *webhookWorker {
	t.Helper()
	worker := w.idle(t, append([]func(*Options){hooks}, change...)...)
	return &webhookWorker{w: worker, sender: webhook.NewSender(worker.Webhooks.Allowed)}
}

func (w *world) delivery(t *testing.T, hook *model.Webhook) *model.WebhookDelivery {
	t.Helper()
	page, err := w.db.Webhooks().WebhookDeliveries(t.Context(), hook.ID, model.Page{Limit: 10})
	if err != nil || len(page.Nodes) != 1 {
		t.Fatalf("deliveries: got %+v, %v, want one", page, err)
	}
	return page.Nodes[0]
}

// A space whose changes cannot be recorded does not hold up the events of others.
func TestEnqueueEvents_goes_on_after_a_space_that_fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addWebhook(t, "https://receiver.example")
	job := w.submitCapture(t, capture)
	if _, err := w.db.Jobs().FailJob(t.Context(), job.ID, 0, model.JobCanceled); err != nil {
		t.Fatal(err)
	}
	space := w.addChangedSpace(t)
	w.exec(t, "ALTER TABLE space_versions ADD CHECK (false)")
	if err := w.idle(t, hooks, func(o *Options) { o.History.Versions = 1 }).enqueueEvents(t.Context()); err == nil || !strings.Contains(err.Error(), space.ID) {
		t.Errorf("enqueue events: got %v, want an error that names the space", err)
	}
	if left, err := w.db.Queue().EnqueueDeliveries(t.Context(), webhookBatch); err != nil || left != 0 {
		t.Errorf("left: got %d, %v, want no event that is still to enqueue", left, err)
	}
}

func TestPollEvents_logs_an_outage_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var log bytes.Buffer
	var outage background.OutageLog
	worker := w.idle(t, hooks, func(o *Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	for _, rename := range []string{"webhooks RENAME TO away", "away RENAME TO webhooks"} {
		w.exec(t, "ALTER TABLE "+rename)
		for range 2 {
			worker.pollEventsOnce(t.Context(), &outage)
		}
	}
	checkOutageLog(t, &log, "poll for events of webhooks", "the polls for events of webhooks succeed again")
}

// A restore that takes long holds the history of its account. The events of others do not wait for
// it.
func TestEnqueueEvents_waits_for_no_history(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addWebhook(t, "https://receiver.example")
	space := w.addChangedSpace(t)
	worker := w.idle(t, hooks)
	err := w.db.InTx(t.Context(), func(tx *db.DB) error {
		if err := tx.History().LockHistory(t.Context(), space.ID); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // a wait would last until the commit
		defer cancel()
		return worker.enqueueEvents(ctx)
	})
	if err != nil {
		t.Errorf("enqueue events while the history is held: got %v, want nil", err)
	}
	if left, err := w.db.Webhooks().ChangedSpacesWithWebhooks(t.Context(), 1); err != nil || len(left) != 1 {
		t.Errorf("changed spaces: got %v, %v, want the space, for a later call", left, err)
	}
}

// addChangedSpace adds a space with a change that is not recorded yet.
func (w *world) addChangedSpace(t *testing.T) *model.Space {
	t.Helper()
	space := model.NewSpace(w.user.ID, model.CreateSpace{}, nil)
	if err := w.db.Spaces().AddSpace(t.Context(), space, []*model.Entity{model.NewEntity(space.ID, "table", model.TypeSimple, nil)}); err != nil {
		t.Fatal(err)
	}
	entity := model.NewEntity(space.ID, "lamp", model.TypeSimple, nil)
	if _, _, err := w.db.Entities().PutOwnedEntity(t.Context(), w.user.ID, entity, nil, false); err != nil {
		t.Fatal(err)
	}
	api.Eventually(t, "the change is seen", func() bool {
		spaces, err := w.db.Webhooks().ChangedSpacesWithWebhooks(t.Context(), 1)
		return err == nil && len(spaces) == 1
	})
	return space
}

func TestRetryDelay_grows_until_the_last_attempt(t *testing.T) {
	t.Parallel()
	for attempts, want := range map[int]time.Duration{1: 5 * time.Second, 2: 5 * time.Minute, 9: 24 * time.Hour, 10: 0, 99: 0} {
		if got := retryDelay(model.WebhookJobEnded, attempts); got < want || got > want+want/10 {
			t.Errorf("after attempt %d: got %v, want %v and a tenth at most", attempts, got, want)
		}
	}
	if got := retryDelay(model.WebhookTest, 1); got != 0 {
		t.Errorf("after a test: got %v, want none", got)
	}
}
