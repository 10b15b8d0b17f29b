package rest

import (
	"cmp"
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// updatePrivacyBody is the body of POST /spaces/update-privacy.
type updatePrivacyBody struct {
	SpaceID     *string       `json:"spaceId"`
	RoomPrivacy model.Privacy `json:"roomPrivacy"`
	// InformFollowers has an effect only when the space becomes Public.
	InformFollowers bool `json:"informFollowers"`
}

// updateSpacePrivacy handles POST /spaces/update-privacy. It accepts only the three options of the
// specification. The resolver checks the option after the space and its owner (API section 7).
//
// The texts of its errors are given by API section 7. A privacy that is missing, null or of another
// type is "Invalid privacy option" as well.
func (a *api) updateSpacePrivacy(w http.ResponseWriter, r *http.Request) error {
	var body updatePrivacyBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	if err := required("spaceId", body.SpaceID); err != nil {
		return err
	}
	_, err := a.resolver.Mutation().UpdateSpacePrivacy(r.Context(), model.UpdateSpacePrivacy{
		SpaceID: *body.SpaceID, Privacy: body.RoomPrivacy, InformFollowers: body.InformFollowers,
	})
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, envelope{Status: statusOK, Message: view.PrivacyUpdated})
}

// privacyBody has the fields of the privacy on the other routes of spaces.
type privacyBody struct {
	Privacy *model.PrivacyWord `json:"privacy"`
	// RoomPrivacy is the specification's name for the same field. If it were ignored, a space
	// that its owner believes to be private would stay public.
	RoomPrivacy *model.PrivacyWord `json:"roomPrivacy"`
}

// option returns the privacy; nil when both fields are omitted. It accepts Open and Closed too.
func (b privacyBody) option() *model.Privacy {
	return cmp.Or(b.Privacy, b.RoomPrivacy).Option()
}
