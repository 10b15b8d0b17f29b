package graph

import "portico/model"

// hubPosters returns the pictures of the room of a hub, smallest first; none of another space.
func (r *Resolver) hubPosters(space *model.Space) []*model.Poster {
	if space.Type != model.SpaceHub {
		return nil
	}
	posters := make([]*model.Poster, len(r.hub))
	for i := range r.hub {
		posters[i] = &r.hub[i].Poster
	}
	return posters
}

// hubPoster returns the address of the middle one of these pictures; "" for none.
func hubPoster(posters []*model.Poster) string {
	if len(posters) == 0 {
		return ""
	}
	return posters[len(posters)/2].URL
}

// hubScreenshot returns the smallest picture of the room of a hub that has at least this width, or the
// largest; nil for another space.
func (r *Resolver) hubScreenshot(space *model.Space, width int) *Screenshot {
	var found *Screenshot
	for i := range r.hubPosters(space) {
		picture := &r.hub[i]
		if found == nil || found.Width < width {
			found = &Screenshot{URL: picture.URL, Width: picture.Width, Height: picture.Height, content: picture.Content}
		}
	}
	return found
}
