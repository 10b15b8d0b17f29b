package web

import (
	"context"
	"time"

	"portico/model"
)

// shownEvents is the number of events on the account page; GraphQL returns all of them.
const shownEvents = 20

// activity is an event of the audit trail as the account page shows it.
type activity struct {
	Title  string
	About  string // the space, file or program; may be empty
	Where  string // the door and the address; may be empty
	Alarm  bool   // whether the owner should look at it
	Moment time.Time
}

// When returns the time for people. It is in UTC, because the server does not know their
// time zone.
func (a activity) When() string { return a.Moment.UTC().Format("2 January 2006, 15:04 UTC") }

// Machine returns the time for the datetime attribute.
func (a activity) Machine() string { return a.Moment.UTC().Format(time.RFC3339) }

// activities returns the account's latest events.
func (s *Site) activities(ctx context.Context, userID string) ([]activity, error) {
	found, err := s.db.SecurityEvents(ctx, userID, model.Page{Limit: shownEvents})
	if err != nil {
		return nil, err
	}
	shown := make([]activity, len(found.Nodes))
	for i, event := range found.Nodes {
		shown[i] = newActivity(event)
	}
	return shown, nil
}

// newActivity returns the view of an event.
func newActivity(e *model.SecurityEvent) activity {
	return activity{
		Title: eventTitle(e), About: e.Detail, Where: eventPlace(e),
		Alarm: e.Type == model.EventSignInFailed, Moment: e.CreatedAt.Time,
	}
}

// eventTitle describes the event in words for the owner of the account.
func eventTitle(e *model.SecurityEvent) string {
	switch e.Type {
	case model.EventSignedIn:
		return "Signed in " + eventMethod(e.Method)
	case model.EventSignInFailed:
		return "Failed to sign in " + eventMethod(e.Method)
	case model.EventAccountCreated:
		return "Account created"
	case model.EventAccountChanged:
		return "Account changed by the operator"
	case model.EventAccountDeleted:
		return "Account deleted"
	case model.EventPasswordChanged:
		return "Password changed"
	case model.EventIdentityLinked:
		return "Linked to an external provider"
	case model.EventIdentityUnlinked:
		return "External provider disconnected"
	case model.EventSessionsEnded:
		return "Browsers signed out"
	case model.EventConsentRevoked:
		return "Access of a program ended"
	case model.EventKeyCreated:
		return "API key created"
	case model.EventKeyShown:
		return "API key shown"
	case model.EventKeyRevoked:
		return "API key revoked"
	case model.EventConsentGiven:
		return "Access given to a program"
	case model.EventCodeRedeemed:
		return "API key fetched by a program"
	case model.EventPrivacyChanged:
		return "Privacy of a space changed"
	case model.EventSpaceDeleted:
		return "Space deleted"
	case model.EventFileDeleted:
		return "File deleted"
	}
	return string(e.Type) // stored by a newer server on the same database
}

// eventMethod returns how the person proved who they are.
func eventMethod(method string) string {
	if method == model.ByOpenID {
		return "with an external provider"
	}
	return "with a password"
}

// eventPlace returns the door and the client's address.
func eventPlace(e *model.SecurityEvent) string {
	way := map[string]string{
		model.DoorPages: "in a browser", model.DoorOAuth: "by a program", model.DoorREST: "over REST",
		model.DoorGraphQL: "over GraphQL", model.DoorMCP: "over MCP", model.DoorCommand: "by the operator",
	}[e.Door]
	if way == "" || e.Address == "" {
		return way
	}
	return way + ", from " + e.Address
}
