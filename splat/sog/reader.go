package sog

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"portico/splat/folder"
	"portico/splat/gaussian"
	"portico/splat/input"
)

// Reader is an opened SOG: a gaussian.Source, and what the file says of itself.
// Images are decoded when their Gaussians are asked for; those that were used
// last stay in memory.
type Reader struct {
	folder   folder.Reader
	file     folder.File // the bundle, which Close closes; nil without one
	bundle   string      // its name
	limits   Limits
	manifest string

	version  int
	streamed bool
	// files names the manifests of all chunks, as the index does, and then that
	// of the environment.
	files []string
	// levels holds the parts of each level, in the order of their Gaussians, and
	// counts how many these are.
	levels      [][]part
	counts      []int
	environment int64
	degree      int
	// bounded tells whether the file gives low and high.
	bounded   bool
	low, high [3]float64

	cache cache
}

var _ gaussian.Source = (*Reader)(nil)

// Open opens a capture by its meta.json or lod-meta.json, with the default
// limits. It reads the manifests and the headers of one chunk's images; see Check
// for the others. What is wrong with them is an *input.Error.
func Open(ctx context.Context, files folder.Reader, name string) (*Reader, error) {
	return DefaultLimits().Open(ctx, files, name)
}

// OpenBundle opens a .sog file with the default limits. The name is for error
// texts. From then on the reader owns the file and Close closes it; after an error
// it is still the caller's.
func OpenBundle(ctx context.Context, file folder.File, name string) (*Reader, error) {
	return DefaultLimits().OpenBundle(ctx, file, name)
}

// Open is Open with these limits.
func (l Limits) Open(ctx context.Context, files folder.Reader, name string) (*Reader, error) {
	r := &Reader{folder: files, limits: l, manifest: name, files: []string{path.Base(name)}}
	open := r.openSingle
	if strings.EqualFold(path.Base(name), streamName) {
		open = r.openStreamed
	}
	if err := open(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// OpenBundle is OpenBundle with these limits.
func (l Limits) OpenBundle(ctx context.Context, file folder.File, name string) (*Reader, error) {
	b, err := openBundle(file, name)
	if err != nil {
		return nil, err
	}
	r := &Reader{folder: b, file: file, bundle: name, limits: l, manifest: metaName, files: []string{metaName}}
	if err := r.openSingle(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// openSingle reads the only meta.json of a SOG without levels: a capture of one
// level, which is one part.
func (r *Reader) openSingle(ctx context.Context) error {
	m, at, err := r.meta(ctx, 0)
	if err != nil {
		return err
	}
	r.version, r.degree, r.bounded = m.Version, m.degree(), true
	r.low, r.high = m.bounds()
	r.levels, r.counts = [][]part{{{count: m.Count}}}, []int{int(m.Count)}
	return errors.Join(m.check(ctx, at.place, r.manifest), at.close())
}

// openStreamed reads a lod-meta.json, and the manifests of one chunk and the
// environment: what is not said in it.
func (r *Reader) openStreamed(ctx context.Context) error {
	file, _, err := r.place().open(ctx, r.manifest, path.Base(r.manifest))
	if err != nil {
		return err
	}
	x, err := readIndex(ctx, file, r.manifest, r.limits)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	r.version, r.streamed, r.files = int(x.version), true, x.files
	r.bounded, r.low, r.high = x.bounded, x.low, x.high
	r.levels, r.counts = make([][]part, x.levels), make([]int, x.levels)
	for _, p := range x.parts {
		r.levels[p.level] = append(r.levels[p.level], p)
		r.counts[p.level] += int(p.count)
	}
	// Other chunks are left to Check: there may be thousands, far away.
	m, err := r.checked(ctx, int(x.parts[0].file))
	if err != nil {
		return err
	}
	r.degree = m.degree()
	if x.environment == "" {
		return nil
	}
	r.files = append(r.files, x.environment)
	if m, err = r.checked(ctx, len(r.files)-1); err != nil {
		return err
	}
	r.environment = m.Count
	return nil
}

// place is where the files lie that the reader's manifest names.
func (r *Reader) place() place {
	return place{folder: r.folder, at: path.Dir(r.manifest), bundle: r.bundle, limits: r.limits}
}

// chunkPlace is where the images of a chunk lie. It is closed after use, since
// the chunk may be a bundle of its own.
type chunkPlace struct {
	place
	file folder.File
}

// close closes the bundle that the chunk is, if it is one.
func (p chunkPlace) close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// meta reads and checks the manifest of the i-th file. The format knows folders
// only, but there are tools that write bundles as chunks, and viewers that show
// them.
func (r *Reader) meta(ctx context.Context, i int) (*meta, chunkPlace, error) {
	file, shown, err := r.place().open(ctx, r.manifest, r.files[i])
	if err != nil {
		return nil, chunkPlace{}, err
	}
	if strings.EqualFold(path.Ext(shown), ".sog") {
		return r.bundledMeta(ctx, file, shown)
	}
	at := chunkPlace{place: r.place()}
	at.at = path.Join(at.at, path.Dir(path.Clean(r.files[i])))
	m, err := readMeta(file, shown, r.limits)
	return m, at, errors.Join(err, file.Close())
}

// bundledMeta reads the manifest of a chunk that is a bundle.
func (r *Reader) bundledMeta(ctx context.Context, file folder.File, shown string) (*meta, chunkPlace, error) {
	b, err := openBundle(file, shown)
	if err != nil {
		return nil, chunkPlace{}, errors.Join(err, file.Close())
	}
	at := chunkPlace{place{folder: b, at: ".", bundle: shown, limits: r.limits}, file}
	inner, within, err := at.open(ctx, shown, metaName)
	if err != nil {
		return nil, chunkPlace{}, errors.Join(err, at.close())
	}
	m, err := readMeta(inner, within, r.limits)
	if err = errors.Join(err, inner.Close()); err != nil {
		return nil, chunkPlace{}, errors.Join(err, at.close())
	}
	return m, at, nil
}

// readMeta reads and checks a manifest that is called name in error texts. The file
// stays open.
func readMeta(file folder.File, name string, limits Limits) (*meta, error) {
	if file.Size() > limits.ManifestBytes {
		return nil, input.Errorf(name, "has %d bytes; at most %d can be read", file.Size(), limits.ManifestBytes)
	}
	data := make([]byte, file.Size())
	if n, err := file.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("read %s: %w", input.Quote(name), err)
	}
	return parseMeta(name, data, limits)
}

// checked reads the manifest of the i-th file and checks the headers of its
// images, and that all its Gaussians that the index refers to are there.
func (r *Reader) checked(ctx context.Context, i int) (*meta, error) {
	m, at, err := r.meta(ctx, i)
	if err != nil {
		return nil, err
	}
	err = errors.Join(m.check(ctx, at.place, r.files[i]), at.close())
	return m, errors.Join(err, r.checkCount(m, i))
}

// checkCount checks that the i-th chunk has all Gaussians that are referred to.
func (r *Reader) checkCount(m *meta, i int) error {
	for _, parts := range r.levels {
		for _, p := range parts {
			if int(p.file) == i && p.offset+p.count > m.Count {
				return input.Errorf(r.files[i], "has %d Gaussians, but %s refers to %d", m.Count, input.Quote(r.manifest), p.offset+p.count)
			}
		}
	}
	return nil
}

// Check reads the manifests of all chunks and the headers of all images, so that
// what is missing, too small or no image is found without decoding any.
func (r *Reader) Check(ctx context.Context) error {
	for i := range r.files {
		if _, err := r.checked(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

// Version returns that of the format: of meta.json, 2, or of lod-meta.json, 1.
func (r *Reader) Version() int { return r.version }

// Streamed tells whether the capture is a streamed SOG.
func (r *Reader) Streamed() bool { return r.streamed }

// Levels implements gaussian.Source.
func (r *Reader) Levels() []int { return r.counts }

// Degree implements gaussian.Source. It is the degree of the first chunk; where
// others have less, their coefficients are zero.
func (r *Reader) Degree() int { return r.degree }

// EnvironmentCount returns how many Gaussians there are around the capture.
func (r *Reader) EnvironmentCount() int { return int(r.environment) }

// Bounds returns the box around the capture, without its environment: that of
// the centres, or for streamed SOG, of the leaves. It is false where the file has
// none.
func (r *Reader) Bounds() (low, high [3]float64, ok bool) { return r.low, r.high, r.bounded }

// Close forgets what is in memory and closes the bundle, if there is one. A
// folder stays the caller's.
func (r *Reader) Close() error {
	r.cache.clear()
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
