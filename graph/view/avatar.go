package view

import (
	"portico/graph"
	"portico/model"
)

// CreatedAvatar is the response to a stored avatar.
type CreatedAvatar struct {
	ID       string `json:"id"`
	URL      string `json:"url"` // of the figure
	Assigned bool   `json:"assigned"`
}

// Avatar is an avatar in a list. Its files are resource keys.
type Avatar struct {
	CreatedAvatar

	OriginalName string     `json:"originalName"`
	GLB          string     `json:"glb"`
	Splat        string     `json:"splat"`
	Binding      string     `json:"binding"`
	Fit          string     `json:"fit"`
	Thumbnail    string     `json:"thumbnail,omitempty"`
	CreatedAt    model.Time `json:"createdAt"`
}

// NewCreatedAvatar returns the view of a stored avatar.
func NewCreatedAvatar(r *graph.Resolver, avatar *model.Avatar) CreatedAvatar {
	return CreatedAvatar{ID: avatar.ID, URL: r.AvatarURL(avatar), Assigned: avatar.Assigned}
}

// NewAvatars returns the views of a list of avatars.
func NewAvatars(r *graph.Resolver, avatars []*model.Avatar) []Avatar {
	views := make([]Avatar, len(avatars))
	for i, a := range avatars {
		views[i] = Avatar{
			CreatedAvatar: NewCreatedAvatar(r, a), OriginalName: a.OriginalName, GLB: a.GLB, Splat: a.Splat,
			Binding: a.Binding, Fit: a.Fit, Thumbnail: a.Thumbnail, CreatedAt: a.CreatedAt,
		}
	}
	return views
}
