package rest

import (
	"net/http"

	"portico/graph/view"
	"portico/model"
)

// messageAvatarDeleted is the message of a success.
const messageAvatarDeleted = "Avatar deleted"

// createAvatarBody has the resource keys of the avatar's files. Clients send the names as they are
// here, not in snake case.
type createAvatarBody struct {
	GLB          string  `json:"glb"`
	Splat        string  `json:"splat"`
	Binding      string  `json:"binding"`
	Fit          string  `json:"fit"`
	Thumbnail    *string `json:"thumbnail"`
	OriginalName *string `json:"originalName"`
	Assign       bool    `json:"assign"`
}

// createAvatar handles POST /avatars/splat.
func (a *api) createAvatar(w http.ResponseWriter, r *http.Request) error {
	var body createAvatarBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	avatar, err := a.resolver.Mutation().CreateAvatar(r.Context(), model.CreateAvatar(body))
	if err != nil {
		return err
	}
	return respondOK(w, view.NewCreatedAvatar(a.resolver, avatar))
}

// avatarListView is the list of an account's avatars.
type avatarListView struct {
	Avatars []view.Avatar `json:"avatars"`
}

// avatars handles GET /avatars.
func (a *api) avatars(w http.ResponseWriter, r *http.Request) error {
	avatars, err := a.resolver.Query().Avatars(r.Context())
	if err != nil {
		return err
	}
	return respondOK(w, avatarListView{view.NewAvatars(a.resolver, avatars)})
}

// deleteAvatar handles DELETE /avatars/:avatarId.
func (a *api) deleteAvatar(w http.ResponseWriter, r *http.Request) error {
	if err := a.resolver.Mutation().DeleteAvatar(r.Context(), pathValue(r, "avatarId")); err != nil {
		return err
	}
	return respondOK(w, view.Notice{Message: messageAvatarDeleted})
}
