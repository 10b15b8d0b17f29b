package web

import (
	"cmp"
	"context"
	"strings"
	"time"

	"portico/model"
)

// maxShownEvents is the maximum number of events on the account page. GraphQL returns all events.
const maxShownEvents = 20

// activity is the view of an event of the audit trail on the account page, in the language of the page.
type activity struct {
	Title  string
	About  string // the space, file or program; may be empty
	Note   string // what the server says about it; may be empty
	Where  string // the door and the address; may be empty
	Alarm  bool   // whether the page highlights the event
	Moment time.Time
}

// DateTime returns the time for the datetime attribute.
func (a activity) DateTime() string { return a.Moment.UTC().Format(time.RFC3339) }

// activities returns the latest maxShownEvents events of the account, newest first.
func (s *Site) activities(ctx context.Context, l *language, userID string) ([]activity, error) {
	found, err := s.db.Audit().SecurityEvents(ctx, userID, model.Page{Limit: maxShownEvents})
	if err != nil {
		return nil, err
	}
	shown := make([]activity, len(found.Nodes))
	for i, event := range found.Nodes {
		shown[i] = newActivity(l, event)
	}
	return shown, nil
}

func newActivity(l *language, e *model.SecurityEvent) activity {
	about, note := eventDetail(l, e)
	return activity{
		Title: l.translate(eventTitle(e)), About: about, Note: note, Where: eventOrigin(l, e),
		Alarm: e.Type == model.EventSignInFailed, Moment: e.CreatedAt.Time,
	}
}

// eventDetail returns what the owner of the account has named, and what the server says about it.
// The titles of spaces are not translated, even if they are words of the pages.
func eventDetail(l *language, e *model.SecurityEvent) (about, note string) {
	about, note = e.Title, l.translate(cmp.Or(e.Reason.Text(), string(e.TakedownReason)))
	if note == "" {
		note = changesText(l, e.Changes)
	}
	if about != "" && note != "" {
		about += ":"
	}
	return about, note
}

// changesText returns what an event changed; "" for nothing.
func changesText(l *language, changes []model.SecurityEventChange) string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		switch c.Field {
		case model.PlanField:
			texts[i] = l.say("Plan {before} to {after}", "before", c.Before, "after", c.After)
		case model.StorageField:
			texts[i] = l.say("Storage {before} to {after} bytes", "before", c.Before, "after", c.After)
		default:
			texts[i] = l.say("{before} to {after}", "before", l.translate(c.Before), "after", l.translate(c.After))
		}
	}
	return strings.Join(texts, " · ")
}

// eventTitles are the titles of the events for the owner of the account. The translations in folder
// messages are found by these texts.
var eventTitles = map[model.SecurityEventType]string{
	model.EventAccountCreated:   "Account created",
	model.EventAccountChanged:   "Account changed by the operator",
	model.EventAccountDeleted:   "Account deleted",
	model.EventAccountExported:  "Account exported",
	model.EventPasswordChanged:  "Password changed",
	model.EventEmailConfirmed:   "E-mail address confirmed",
	model.EventEmailChanged:     "E-mail address changed",
	model.EventCodesEnabled:     "One-time codes turned on",
	model.EventCodesDisabled:    "One-time codes turned off",
	model.EventRecoveryCodeUsed: "Signed in with a recovery code",
	model.EventPasskeyAdded:     "Passkey added",
	model.EventPasskeyRemoved:   "Passkey removed",
	model.EventIdentityLinked:   "Linked to an external provider",
	model.EventIdentityUnlinked: "External provider disconnected",
	model.EventSessionsEnded:    "Browsers signed out",
	model.EventConsentRevoked:   "App disconnected",
	model.EventKeyCreated:       "API key created",
	model.EventKeyShown:         "API key shown",
	model.EventKeyRevoked:       "API key revoked",
	model.EventConsentGiven:     "App connected",
	model.EventCodeRedeemed:     "API key fetched by an app",
	model.EventWebhookCreated:   "Webhook added",
	model.EventWebhookChanged:   "Webhook changed",
	model.EventWebhookDeleted:   "Webhook deleted",
	model.EventPrivacyChanged:   "Privacy of a space changed",
	model.EventSpaceDeleted:     "Space deleted",
	model.EventFileDeleted:      "File deleted",
	model.EventAvatarAssigned:   "Avatar assigned",
	model.EventAvatarDeleted:    "Avatar deleted",
	model.EventOperatorAdded:    "Became an operator",
	model.EventOperatorRemoved:  "No longer an operator",
	model.EventAccountDisabled:  "Account disabled",
	model.EventAccountEnabled:   "Account enabled",
	model.EventSpaceTakenDown:   "Space taken down",
	model.EventSpaceRestored:    "Space restored",
	model.EventReportsClosed:    "Reports closed",
	model.EventJobRetried:       "Job retried",
	model.EventJobCanceled:      "Job canceled",
}

// eventTitle returns the title of the event for the owner of the account.
func eventTitle(e *model.SecurityEvent) string {
	switch e.Type {
	case model.EventSignedIn:
		return "Signed in" + eventMethod(e.Method)
	case model.EventSignInFailed:
		return "Failed to sign in" + eventMethod(e.Method)
	}
	// A newer server on the same database may store types that this server does not know.
	return cmp.Or(eventTitles[e.Type], string(e.Type))
}

// eventMethod returns the method of a sign-in in words that follow the title. It returns nothing
// for a method that only a newer server on the same database knows.
func eventMethod(method string) string {
	switch method {
	case model.ByPassword:
		return " with a password"
	case model.ByOpenID:
		return " with an external provider"
	case model.ByPasskey:
		return " with a passkey"
	}
	return ""
}

// doorNames say through which door an event came, in words that follow its title.
var doorNames = map[string]string{
	model.DoorPages: "in a browser", model.DoorOAuth: "by an app", model.DoorREST: "over REST",
	model.DoorGraphQL: "over GraphQL", model.DoorMCP: "over MCP", model.DoorCommand: "by the operator",
}

// eventOrigin returns the door and the client's address.
func eventOrigin(l *language, e *model.SecurityEvent) string {
	origin := l.translate(doorNames[e.Door])
	if origin == "" || e.Address == "" {
		return origin
	}
	return l.say("{way}, from {address}", "way", origin, "address", e.Address)
}
