package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"portico/model"
	"portico/storage"
)

// noScreenshot is the text for a space that has no picture yet.
const noScreenshot = "The space has no picture yet"

const (
	defaultScreenshotWidth = 1280
	maxScreenshotWidth     = 4096
	// maxScreenshotBytes is the maximum size of a picture.
	maxScreenshotBytes = 4 << 20
)

// pictureField is the field of a space's data with the picture that its owner chose: the resource
// key of a JPEG of the owner.
const pictureField = "picture"

// Screenshot is a picture of a space, a JPEG.
type Screenshot struct {
	// URL is an address at which the caller can read the picture now.
	URL           string
	Width, Height int

	key     string
	store   storage.Store
	content []byte // of a picture that is not in the store
}

// SpaceScreenshot returns the picture of a space that the caller may read: the picture that its
// owner chose, or else the first poster of a file in the space, or the room of a hub. Of several sizes it returns the
// smallest with at least the wanted width, or the largest.
//
// The width is a wish: the response names the real size. The API's tool get_space_screenshot calls
// it.
func (r Queries) SpaceScreenshot(ctx context.Context, spaceID string, width *int) (*Screenshot, error) {
	page, err := r.SpacePage(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	wantedWidth := defaultScreenshotWidth
	if width != nil {
		wantedWidth = *width
	}
	if wantedWidth < 1 || wantedWidth > maxScreenshotWidth {
		return nil, model.InvalidField("width", fmt.Sprintf("must be from 1 to %d", maxScreenshotWidth))
	}
	chosen, err := r.chosenPicture(ctx, page.Space)
	if err != nil || chosen != nil {
		return chosen, err
	}
	file := page.PosterFile
	if file == nil {
		if room := r.hubScreenshot(page.Space, wantedWidth); room != nil {
			return room, nil
		}
		return nil, model.NotFound(noScreenshot)
	}
	picture := model.StoredPoster{Key: file.PosterKey}
	if file.Posters != nil {
		picture = file.Posters.AtLeast(wantedWidth)
	}
	return r.screenshot(ctx, file.UserID+"/"+picture.Key, picture.Width, picture.Height), nil
}

// screenshot returns the picture at a key of the store.
func (r *Resolver) screenshot(ctx context.Context, key string, width, height int) *Screenshot {
	return &Screenshot{URL: r.readURL(ctx, key), Width: width, Height: height, key: key, store: r.store}
}

// chosenPicture returns the picture that the owner of the space chose; nil for none. Clients may
// use the field for something else, so a value that names no JPEG of the owner is ignored.
func (r *Resolver) chosenPicture(ctx context.Context, space *model.Space) (*Screenshot, error) {
	var resourceKey string
	isText := json.Unmarshal(space.Data.Fields()[pictureField], &resourceKey) == nil
	isKey := isText && storage.CheckKey(resourceKey) == nil
	if !isKey {
		return nil, nil
	}
	file, err := r.db.Files().FileOf(ctx, space.OwnerID, resourceKey)
	if model.CodeOf(err) == model.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	facts := file.Facts
	if facts == nil || facts.Format != model.FormatJPEG || file.Size > maxScreenshotBytes {
		return nil, nil
	}
	return r.screenshot(ctx, file.StorageKey(), facts.Width, facts.Height), nil
}

// Read returns the bytes of the picture.
//
// A picture of more than maxScreenshotBytes is not found. It is a poster of that size, or an object
// that has changed since its facts were stored.
func (s *Screenshot) Read(ctx context.Context) ([]byte, error) {
	if s.content != nil {
		return s.content, nil
	}
	picture, err := s.store.Open(ctx, s.key)
	if errors.Is(err, storage.ErrNotFound) { // it was replaced in the meantime
		return nil, model.NotFound(noScreenshot)
	}
	if err != nil {
		return nil, err
	}
	defer picture.Close() //nolint:errcheck // read only
	content, err := io.ReadAll(io.LimitReader(picture, maxScreenshotBytes+1))
	if err == nil && len(content) > maxScreenshotBytes {
		return nil, model.NotFound(noScreenshot)
	}
	return content, err
}
