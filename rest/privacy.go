package rest

import (
	"cmp"
	"net/http"

	"portico/model"
)

// updatePrivacyBody is the body of POST /spaces/update-privacy.
type updatePrivacyBody struct {
	SpaceID     *string       `json:"spaceId"`
	RoomPrivacy model.Privacy `json:"roomPrivacy"`
	// InformFollowers counts only when the space becomes Public.
	InformFollowers bool `json:"informFollowers"`
}

// updatePrivacy answers POST /spaces/update-privacy. It accepts the three options of the
// specification only, and the resolver checks the option after the space and its owner (API
// section 7).
func (a *api) updatePrivacy(w http.ResponseWriter, r *http.Request) error {
	var body updatePrivacyBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	if err := required("spaceId", body.SpaceID); err != nil {
		return err
	}
	_, err := a.resolver.Mutation().UpdateSpacePrivacy(r.Context(), model.UpdatePrivacy{
		SpaceID: *body.SpaceID, Privacy: body.RoomPrivacy, InformFollowers: body.InformFollowers,
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, envelope{Status: statusOK, Message: messagePrivacyUpdated})
}

// privacyBody is how privacy is set on the other routes of spaces (contract,
// Spaces).
type privacyBody struct {
	Privacy *model.PrivacyWord `json:"privacy"`
	// RoomPrivacy is the specification's name for the same thing. Ignoring it
	// would leave a space open that its owner believes to have closed.
	RoomPrivacy *model.PrivacyWord `json:"roomPrivacy"`
}

// option returns what is set, or nil. Open and Closed are words for one too.
func (b privacyBody) option() *model.Privacy {
	return cmp.Or(b.Privacy, b.RoomPrivacy).Option()
}
