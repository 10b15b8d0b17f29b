package model

import (
	"net/http"
	"strconv"
	"strings"
)

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
