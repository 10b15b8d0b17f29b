package model

// Poster is a picture of a file in one size, as clients see it.
type Poster struct {
	URL    string `json:"url" jsonschema:"The picture's address, signed like view_url."`
	Width  int    `json:"width" jsonschema:"The width in pixels."`
	Height int    `json:"height" jsonschema:"The height in pixels."`
}

// Posters are the stored pictures of a file.
type Posters struct {
	// From is the viewpoint of the pictures; nil if they show the whole subject.
	From *PosterView `json:"from,omitempty"`
	// Sizes has the picture in each size. The first is the one of File.PosterKey.
	Sizes []StoredPoster `json:"sizes"`
}

// StoredPoster is a stored picture of a file.
type StoredPoster struct {
	Key    string `json:"key"` // in the form of a resource key
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Bytes  int64  `json:"bytes"`
}

// bytes returns the size of all pictures.
func (p *Posters) bytes() (sum int64) {
	if p != nil {
		for _, picture := range p.Sizes {
			sum += picture.Bytes
		}
	}
	return sum
}

// Growth returns how many bytes more the pictures take than the ones that they replace,
// which may be nil.
func (p *Posters) Growth(replaced *Posters) int64 { return p.bytes() - replaced.bytes() }

// AtLeast returns the smallest picture that has the width, or the widest.
func (p *Posters) AtLeast(width int) (best StoredPoster) {
	for _, picture := range p.Sizes {
		switch {
		case best.Key == "",
			best.Width < width && picture.Width > best.Width,
			picture.Width >= width && picture.Width < best.Width:
			best = picture
		}
	}
	return best
}

// PosterView is the viewpoint of a poster, in the coordinates of Start.
type PosterView struct {
	Position [3]float64 `json:"position"`
	Target   [3]float64 `json:"target"`
	Up       [3]float64 `json:"up"`
}

// PosterView returns the viewpoint of the file's poster: its first view. It returns nil for a
// poster that shows the whole subject, which is best for an object unless it stands on its
// head or its owner has chosen a view. An object has no floor that shows what is up, so one
// that seems to lie on its side is not turned.
func (f *File) PosterView() *PosterView {
	start := f.FirstView()
	if start == nil || f.Facts == nil || f.Facts.Splats == 0 {
		return nil
	}
	const onItsHead = -0.8 // y of up, which is within 37 degrees of straight down
	if start.Scene == SceneObject && start.Up[1] > onItsHead && !start.SetByOwner {
		return nil
	}
	return &PosterView{start.Position, start.Target, start.Up}
}

// HasPosters reports whether the file has the posters of its view.
func (f *File) HasPosters() bool {
	return f.Posters != nil && f.Posters.From.equal(f.PosterView())
}

// equal reports whether two viewpoints are the same.
func (v *PosterView) equal(other *PosterView) bool {
	if v == nil || other == nil {
		return v == other
	}
	return *v == *other
}

// Fits reports whether the posters show the view of the file.
func (p *Posters) Fits(f *File) bool { return p.From.equal(f.PosterView()) }
