package page

import (
	"fmt"
	"net/http"

	"portico/model"
	"portico/web/asset"
)

// hubWidths are the widths of the pictures of a hub's room in pixels, which have the shape of posters.
// make pictures draws them with the page of a hub.
func hubWidths() []int { return []int{320, 640, 1280} }

// hubFile returns a picture of the room, its handler, and the path of it.
func hubFile(width int) (content []byte, file *asset.File, path string, err error) {
	if content, err = pages.ReadFile(fmt.Sprintf("pages/hub-%d.jpg", width)); err != nil {
		return nil, nil, "", err
	}
	file = asset.New(content, "image/jpeg", asset.Forever)
	return content, file, fmt.Sprintf("/place/hub-%d-%s.jpg", width, file.Hash()), nil
}

// HubPictures returns the pictures of the room of every hub, smallest first, as the pages of a server
// with this base URL serve them.
func HubPictures(base string) ([]model.BuiltInPicture, error) {
	var pictures []model.BuiltInPicture
	for _, width := range hubWidths() {
		content, _, path, err := hubFile(width)
		if err != nil {
			return nil, err
		}
		poster := model.Poster{URL: base + path, Width: width, Height: width * 5 / 8}
		pictures = append(pictures, model.BuiltInPicture{Poster: poster, Content: content})
	}
	return pictures, nil
}

// addHub adds the pictures of a hub's room. Gates of other sites and embedded pages show them too.
func (p *Pages) addHub() error {
	for _, width := range hubWidths() {
		_, file, path, err := hubFile(width)
		if err != nil {
			return err
		}
		p.files[path] = forAnyPage(http.Handler(file))
	}
	return nil
}
