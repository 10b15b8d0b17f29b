package model

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// WebhookEvent is the name of an event that webhooks receive.
type WebhookEvent string

const (
	// WebhookJobEnded is for a job that completed, failed or was canceled.
	WebhookJobEnded WebhookEvent = "job.ended"
	// WebhookSpacePublished is for a space that became Public.
	WebhookSpacePublished WebhookEvent = "space.published"
	// WebhookSpaceDeleted is for a deleted space.
	WebhookSpaceDeleted WebhookEvent = "space.deleted"
	// WebhookEntityChanged is for entities of one space that were created, changed or deleted.
	WebhookEntityChanged WebhookEvent = "entity.changed"
	// WebhookTest is the event of the test button. Every webhook receives it.
	WebhookTest WebhookEvent = "webhook.test"
)

// webhookEvents are the events that a webhook can subscribe to.
var webhookEvents = []WebhookEvent{WebhookJobEnded, WebhookSpacePublished, WebhookSpaceDeleted, WebhookEntityChanged}

const (
	// MaxWebhooks is the maximum number of webhooks of an account.
	MaxWebhooks   = 10
	maxWebhookURL = 2000 // characters
)

// WebhookNotFound is the message for an unknown webhook.
const WebhookNotFound = "Webhook not found"

// Webhook is an address that an account's events are sent to.
type Webhook struct {
	ID       string `bun:",pk"`
	Sequence int64  `bun:",autoincrement"`
	UserID   string
	URL      string
	Events   []WebhookEvent `bun:",array"`
	// Sealed is the secret, encrypted and bound to ID. FormerSealed is the former secret, which
	// also signs until FormerUntil.
	Sealed       []byte
	FormerSealed []byte `bun:",nullzero"`
	FormerUntil  Time   `bun:",nullzero"`
	CreatedAt    Time
	// AfterChange is the number of the last change of which the webhook gets no event.
	AfterChange int64
	// FailingSince is the time of the first failure since the last delivery that succeeded.
	FailingSince *Time
	DisabledAt   *Time
	// DisabledCause is why the server disabled the webhook; empty if the owner did.
	DisabledCause WebhookDisabledCause `bun:",nullzero"`
	// DisabledFailure is the last failure before that, with WebhookFailing; otherwise nil.
	DisabledFailure *WebhookFailure `bun:"type:jsonb"`
}

// DisabledReason returns why the server disabled the webhook, in English; empty if the owner did.
func (w *Webhook) DisabledReason() string { return w.DisabledCause.text(w.DisabledFailure) }

// Host returns the host of the address, with its port.
func (w *Webhook) Host() string {
	address, err := url.Parse(w.URL)
	if err != nil {
		return ""
	}
	return address.Host
}

// Enabled reports whether new events are sent; a disabled webhook does not get them later.
func (w *Webhook) Enabled() bool { return w.DisabledAt == nil }

// WebhookDelivery is the delivery of an event to a webhook.
type WebhookDelivery struct {
	// ID is the value of the header webhook-id, which is the same in each attempt.
	ID        string
	Sequence  int64
	WebhookID string
	// Stream is the sequence whose events are delivered in order: a space, or the jobs.
	Stream    string
	Type      WebhookEvent
	Payload   string
	CreatedAt Time
	// Attempts counts the attempts, and AttemptedAt is the time of the last one.
	Attempts    int
	AttemptedAt *Time
	// NextAt is when the next attempt is due, unless the delivery has ended.
	NextAt    Time
	EndedAt   *Time
	Delivered bool
	// ResponseStatus is the HTTP status of the last response; 0 for none.
	ResponseStatus int
	// Failure is why the last attempt failed; nil if it did not.
	Failure *WebhookFailure `bun:"type:jsonb"`
	// DurationMS is how long the last attempt took, in milliseconds.
	DurationMS int `bun:"duration_ms"`
}

// Body decodes Payload, the JSON that the request sends as it is.
func (d *WebhookDelivery) Body() (body Object, err error) {
	return body, json.Unmarshal([]byte(d.Payload), &body)
}

// NextAttemptAt returns when the next attempt is due; nil for none.
func (d *WebhookDelivery) NextAttemptAt() *Time {
	if d.EndedAt != nil {
		return nil
	}
	return &d.NextAt
}

// Status returns the HTTP status of the last response; nil for none.
func (d *WebhookDelivery) Status() *int { return orNil(d.ResponseStatus) }

// ErrorText returns why the last attempt failed, in English; empty for none.
func (d *WebhookDelivery) ErrorText() string {
	if d.Failure == nil {
		return ""
	}
	return d.Failure.Text()
}

// State returns how far the delivery is. A delivery that has ended without success was given up.
func (d *WebhookDelivery) State() WebhookDeliveryState {
	switch {
	case d.Delivered:
		return WebhookDelivered
	case d.EndedAt == nil:
		return WebhookWaiting
	}
	return WebhookGivenUp
}

// WebhookDeliveryState says whether an event has arrived, may still arrive, or never will.
type WebhookDeliveryState string

// A delivery is stored without its state: see WebhookDelivery.State.
const (
	WebhookWaiting   WebhookDeliveryState = "waiting"   // for its first or next attempt
	WebhookDelivered WebhookDeliveryState = "delivered" // accepted by the receiver
	WebhookGivenUp   WebhookDeliveryState = "given-up"  // the last attempt failed, or the webhook was disabled
)

// Cursor returns the delivery's cursor in lists.
func (d *WebhookDelivery) Cursor() string { return Cursor(d.Sequence) }

// Key implements Sortable.
func (d *WebhookDelivery) Key(OrderField) (int64, string) { return d.Sequence, "" }

// WebhookDeliveryConnection is one page of deliveries, newest first.
type WebhookDeliveryConnection Connection[*WebhookDelivery]

// Edges returns the deliveries with their cursors.
func (c *WebhookDeliveryConnection) Edges() []WebhookDeliveryEdge {
	return edgesOf[*WebhookDelivery, WebhookDeliveryEdge](c.Nodes, c.Order)
}

// WebhookDeliveryEdge is a delivery with its cursor.
type WebhookDeliveryEdge Edge[*WebhookDelivery]

// CreateWebhook is the input of createWebhook.
type CreateWebhook struct {
	URL    string
	Events []WebhookEvent
}

// Validate refuses an address that cannot receive events, and a list without events.
func (in CreateWebhook) Validate() error {
	return cmp.Or(checkWebhookURL(in.URL), checkWebhookEvents(in.Events))
}

// UpdateWebhook is the input of updateWebhook. A field that is nil stays as it is.
type UpdateWebhook struct {
	WebhookID string
	URL       *string
	Events    []WebhookEvent
	Enabled   *bool
}

// Validate refuses what CreateWebhook.Validate refuses. It does not check fields that are nil.
func (in UpdateWebhook) Validate() error {
	if in.URL != nil {
		if err := checkWebhookURL(*in.URL); err != nil {
			return err
		}
	}
	if in.Events != nil {
		return checkWebhookEvents(in.Events)
	}
	return nil
}

// checkWebhookURL refuses an address that cannot receive events. It does not check the network:
// package publicnet does when a connection is made.
func checkWebhookURL(text string) error {
	if err := checkText("url", text, maxWebhookURL); err != nil {
		return err
	}
	address, err := url.Parse(text)
	switch {
	case err != nil || address.Host == "" || (address.Scheme != "https" && address.Scheme != "http"):
		return InvalidField("url", "must be an address that starts with https:// or http://")
	case address.User != nil:
		return InvalidField("url", "must not contain a user name or password: verify the signature instead")
	case address.Fragment != "":
		return InvalidField("url", "must not contain a fragment")
	}
	return nil
}

// checkWebhookEvents refuses a list without events, or with an event that a webhook cannot
// subscribe to. The text has GraphQL's constants, because webhooks exist only in GraphQL.
func checkWebhookEvents(events []WebhookEvent) error {
	if len(events) == 0 {
		return InvalidField("events", "must not be empty")
	}
	isUnknown := func(event WebhookEvent) bool { return !slices.Contains(webhookEvents, event) }
	if !slices.ContainsFunc(events, isUnknown) {
		return nil
	}
	constants := make([]string, len(webhookEvents))
	for i, event := range webhookEvents {
		constants[i] = strings.ToUpper(strings.ReplaceAll(string(event), ".", "_"))
	}
	return InvalidField("events", "must contain only "+strings.Join(constants, ", "))
}

// UniqueWebhookEvents returns the events, each once and in the order of the documentation; nil for
// none.
func UniqueWebhookEvents(events []WebhookEvent) (unique []WebhookEvent) {
	for _, event := range webhookEvents {
		if slices.Contains(events, event) {
			unique = append(unique, event)
		}
	}
	return unique
}

// WebhookPayload returns the body of an event, in the form of the Standard Webhooks
// specification: its type, its time and its data.
func WebhookPayload(event WebhookEvent, at Time, data any) (string, error) {
	body, err := json.Marshal(struct {
		Type      WebhookEvent `json:"type"`
		Timestamp Time         `json:"timestamp"`
		Data      any          `json:"data"`
	}{event, at, data})
	return string(body), err
}

// WebhookFailure is why an attempt to deliver an event failed, or why the event was given up. It
// reveals nothing about networks that are not public.
type WebhookFailure struct {
	Reason WebhookFailureReason `json:"reason"`
	// Status is the HTTP status of the response, with WebhookFailureStatus and
	// WebhookFailureRedirect; otherwise 0.
	Status int `json:"status,omitempty"`
	// Seconds is how long the server waited, with WebhookFailureTimeout; otherwise 0.
	Seconds int `json:"seconds,omitempty"`
}

// WebhookFailureReason is the kind of a WebhookFailure.
type WebhookFailureReason string

// The reasons of failures.
const (
	WebhookFailureStatus      WebhookFailureReason = "status"      // the status of the response was not 2xx
	WebhookFailureRedirect    WebhookFailureReason = "redirect"    // the response was a redirect, which is not followed
	WebhookFailureTimeout     WebhookFailureReason = "timeout"     // there was no response in time
	WebhookFailureCertificate WebhookFailureReason = "certificate" // the receiver's certificate is not valid
	WebhookFailureTLS         WebhookFailureReason = "tls"         // the TLS handshake failed
	WebhookFailureUnreachable WebhookFailureReason = "unreachable" // no public address, or nothing answers there
	WebhookFailureSecret      WebhookFailureReason = "secret"      // the server cannot decrypt the webhook's secret
	WebhookFailureDisabled    WebhookFailureReason = "disabled"    // the webhook was disabled, so the event was given up
)

// WebhookFailureReasons returns every reason, for the tests that must not miss one.
func WebhookFailureReasons() []WebhookFailureReason {
	return []WebhookFailureReason{
		WebhookFailureStatus, WebhookFailureRedirect, WebhookFailureTimeout, WebhookFailureCertificate,
		WebhookFailureTLS, WebhookFailureUnreachable, WebhookFailureSecret, WebhookFailureDisabled,
	}
}

// Text returns the failure in English.
func (f *WebhookFailure) Text() string {
	switch f.Reason {
	case WebhookFailureStatus:
		return "The receiver answered " + strings.TrimSpace(strconv.Itoa(f.Status)+" "+http.StatusText(f.Status))
	case WebhookFailureRedirect:
		return "The receiver answered with a redirect (" + strconv.Itoa(f.Status) + "), which is not followed. Set its final address"
	case WebhookFailureTimeout:
		return "The receiver did not answer within " + strconv.Itoa(f.Seconds) + "s"
	case WebhookFailureCertificate:
		return "The receiver's certificate is not valid"
	case WebhookFailureTLS:
		return "The TLS handshake with the receiver failed. Its port must serve https, with TLS 1.2 or later"
	case WebhookFailureUnreachable:
		return "The receiver cannot be reached: its name has no public address, or nothing answers there"
	case WebhookFailureSecret:
		return "The server cannot decrypt the secret of the webhook. Replace the secret"
	case WebhookFailureDisabled:
		return "The webhook was disabled"
	}
	return string(f.Reason) // of a newer server on the same database
}

// WebhookDisabledCause is why the server disabled a webhook.
type WebhookDisabledCause string

// The causes for which the server disables a webhook.
const (
	WebhookGone    WebhookDisabledCause = "gone"    // the receiver answered 410
	WebhookFailing WebhookDisabledCause = "failing" // every attempt failed for too long
	WebhookFull    WebhookDisabledCause = "full"    // too many events waited
	// WebhookAccessEnded is for a key that ended, or all access: somebody else may have made the
	// webhook.
	WebhookAccessEnded WebhookDisabledCause = "access-ended"
)

// WebhookDisabledCauses returns every cause, for the tests that must not miss one.
func WebhookDisabledCauses() []WebhookDisabledCause {
	return []WebhookDisabledCause{WebhookGone, WebhookFailing, WebhookFull, WebhookAccessEnded}
}

// text returns the cause in English. A webhook that was disabled as WebhookFailing has its last
// failure.
func (c WebhookDisabledCause) text(last *WebhookFailure) string {
	switch c {
	case WebhookGone:
		return "The receiver answered 410 Gone"
	case WebhookFailing:
		text := "Every attempt failed for too long"
		if last != nil {
			text += ". The last error: " + last.Text()
		}
		return text
	case WebhookFull:
		return "Too many events waited for it"
	case WebhookAccessEnded:
		return "The API key was replaced or revoked, or the password was changed. Enable the webhook again if it is yours"
	}
	return string(c) // of a newer server on the same database
}
