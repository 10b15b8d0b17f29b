package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/internal/publicnet"
	"portico/model"
)

const (
	// requestTimeout limits a request from the lookup of the name to the end of the response.
	requestTimeout = 15 * time.Second
	maxHeaderBytes = 16 << 10
	// maxResponseBytes is how much of a response is read. Its content is ignored.
	maxResponseBytes = 16 << 10
)

// Message is an event in the form in which the receiver gets it.
type Message struct {
	// ID is the same in each attempt, so that receivers can ignore events that they have.
	ID   string
	URL  string
	Body string
	// Secrets are the secrets that sign the event. Each makes one signature.
	Secrets []string
}

// Result is how a receiver responded, or why there was no response.
type Result struct {
	// Status is the HTTP status; 0 for no response.
	Status int
	// Failure is why the event was not accepted; nil means that it was accepted.
	Failure  *model.WebhookFailure
	Duration time.Duration
}

// Gone reports whether the receiver wants no more events.
func (r Result) Gone() bool { return r.Status == http.StatusGone }

// Sender sends events. NewSender returns one.
type Sender struct{ client *http.Client }

// NewSender returns a sender to public addresses and the allowed networks.
//
// The guard checks the address that the name has led to when the connection is opened. A check of
// the name before that could be deceived by a name server that answers differently the second time
// (DNS rebinding).
func NewSender(allowed []netip.Prefix) *Sender {
	guard := publicnet.NewGuard()
	permits := func(address netip.Addr) bool {
		return guard.Permits(address) || address.Zone() == "" &&
			slices.ContainsFunc(allowed, func(p netip.Prefix) bool { return p.Contains(address.Unmap()) })
	}
	dialer := net.Dialer{Timeout: requestTimeout, Control: publicnet.Control(permits)}
	return &Sender{&http.Client{
		Timeout: requestTimeout,
		// A redirect could lead to any address, and the owner has approved only this one.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			// No proxy of the environment: it would connect for us, to any address.
			DialContext: dialer.DialContext, TLSHandshakeTimeout: requestTimeout,
			ResponseHeaderTimeout: requestTimeout, MaxResponseHeaderBytes: maxHeaderBytes,
			DisableKeepAlives: true, DisableCompression: true,
		},
	}}
}

// Send sends the event once. It reports failures in the result.
func (s *Sender) Send(ctx context.Context, m Message) Result {
	started := time.Now()
	status, err := s.post(ctx, m, started)
	result := Result{Status: status, Duration: time.Since(started)}
	switch {
	case err != nil:
		result.Failure = failureOf(err)
	case status >= 300 && status < 400:
		result.Failure = &model.WebhookFailure{Reason: model.WebhookFailureRedirect, Status: status}
	case status < 200 || status >= 300:
		result.Failure = &model.WebhookFailure{Reason: model.WebhookFailureStatus, Status: status}
	}
	return result
}

// post sends the request with the headers of Standard Webhooks, and returns the status of the
// response.
func (s *Sender) post(ctx context.Context, m Message, at time.Time) (status int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, strings.NewReader(m.Body))
	if err != nil {
		return 0, err
	}
	signature, err := signatures(m, at)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Portico-Webhooks/1")
	request.Header.Set("Webhook-Id", m.ID)
	request.Header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	request.Header.Set("Webhook-Signature", signature)
	response, err := s.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // read only
	// An error while reading the body does not matter: the status has been received.
	_, _ = io.CopyN(io.Discard, response.Body, maxResponseBytes)
	return response.StatusCode, nil
}

// failureOf returns why a request failed. The failure is the same for an address that is refused
// and an address that does not answer: otherwise accounts could explore the server's network.
func failureOf(err error) *model.WebhookFailure {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return &model.WebhookFailure{Reason: model.WebhookFailureTimeout, Seconds: int(requestTimeout.Seconds())}
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return &model.WebhookFailure{Reason: model.WebhookFailureCertificate}
	}
	// Package tls has no type for the alerts of the other side.
	if errors.Is(err, http.ErrSchemeMismatch) || strings.Contains(err.Error(), "tls: ") {
		return &model.WebhookFailure{Reason: model.WebhookFailureTLS}
	}
	return &model.WebhookFailure{Reason: model.WebhookFailureUnreachable}
}
