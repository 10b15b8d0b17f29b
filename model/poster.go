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
	// Sizes has the picture in each size. The first is the picture of File.PosterKey.
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

// Growth returns the size of the pictures minus the size of the pictures that they replace, in
// bytes. replaced may be nil.
func (p *Posters) Growth(replaced *Posters) int64 { return p.bytes() - replaced.bytes() }

// AtLeast returns the smallest picture of at least the width, or the widest one if all are smaller.
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

// PosterView returns the viewpoint of the file's poster: its first view, so that the page of a space
// begins with the same picture. It returns nil for a poster that shows the whole subject: before
// there is a view, and for objects that an earlier version has prepared, whose Up was a guess.
func (f *File) PosterView() *PosterView {
	start := f.FirstView()
	if start == nil || f.Facts == nil || f.Facts.Splats == 0 {
		return nil
	}
	if start.Scene == SceneObject && start.Certainty == 0 && !start.SetByOwner {
		return nil
	}
	return &PosterView{start.Position, start.Target, start.Up}
}

// HasPosters reports whether the file has posters that show its current PosterView.
func (f *File) HasPosters() bool {
	return f.Posters != nil && f.Posters.From.equal(f.PosterView())
}

// NeedsPosters reports whether a worker should draw posters of the file, whose facts are known.
func (f *File) NeedsPosters() bool { return !f.HasPosters() && f.Facts.HasPoster() }

// equal reports whether two viewpoints are the same.
func (v *PosterView) equal(other *PosterView) bool {
	if v == nil || other == nil {
		return v == other
	}
	return *v == *other
}

// Match reports whether the posters show the current PosterView of the file.
func (p *Posters) Match(f *File) bool { return p.From.equal(f.PosterView()) }
