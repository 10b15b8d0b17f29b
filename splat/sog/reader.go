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

// Reader is an opened SOG: a gaussian.Source with some facts about the file. It decodes
// images when their Gaussians are read, and keeps the most recently used chunks.
//
// It is safe for concurrent use, except for Close. Nothing but the cache changes after Open.
type Reader struct {
	folder   folder.Reader
	file     folder.File // the bundle, which Close closes; nil without one
	bundle   string      // its name
	limits   Limits
	manifest string

	version  int
	streamed bool
	// files contains the names of all chunks' manifests, and at the end the name of the
	// environment's.
	files []string
	// levels contains the parts of each level in the order of their Gaussians, and counts
	// the number of Gaussians.
	levels      [][]part
	counts      []int
	environment int64
	degree      int
	model       Model
	// hasBounds reports whether the file has low and high.
	hasBounds bool
	low, high [3]float64

	cache cache
}

var _ gaussian.Source = (*Reader)(nil)

// Open opens a capture by its meta.json or lod-meta.json, with the default limits. It
// reads the manifests and the headers of one chunk's images; Check reads the others.
// Faults in them are *input.Errors.
func Open(ctx context.Context, files folder.Reader, name string) (*Reader, error) {
	return DefaultLimits().Open(ctx, files, name)
}

// OpenBundle opens a .sog file with the default limits. The name is for error texts. The
// reader takes ownership of the file, and Close closes it. After an error, the file is
// still the caller's.
func OpenBundle(ctx context.Context, file folder.File, name string) (*Reader, error) {
	return DefaultLimits().OpenBundle(ctx, file, name)
}

// Open opens a capture as the function Open does, with these limits.
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

// OpenBundle opens a .sog file as the function OpenBundle does, with these limits.
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

// openSingle reads the meta.json of a SOG without levels, which is a capture of one level
// with one part.
func (r *Reader) openSingle(ctx context.Context) error {
	m, at, err := r.readManifest(ctx, 0)
	if err != nil {
		return err
	}
	r.version, r.degree, r.model, r.hasBounds = m.Version, m.degree(), m.model(), true
	r.low, r.high = m.bounds()
	r.levels, r.counts = [][]part{{{count: m.Count}}}, []int{int(m.Count)}
	return errors.Join(m.check(ctx, at.location, r.manifest), at.close())
}

// openStreamed reads a lod-meta.json, and the manifests of one chunk and the environment
// for the facts that the index lacks.
func (r *Reader) openStreamed(ctx context.Context) error {
	file, _, err := r.location().open(ctx, r.manifest, path.Base(r.manifest))
	if err != nil {
		return err
	}
	x, err := readIndex(ctx, file, r.manifest, r.limits)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	r.version, r.streamed, r.files = int(x.version), true, x.files
	r.hasBounds, r.low, r.high = x.hasBounds, x.low, x.high
	r.levels, r.counts = make([][]part, x.levels), make([]int, x.levels)
	for _, p := range x.parts {
		r.levels[p.level] = append(r.levels[p.level], p)
		r.counts[p.level] += int(p.count)
	}
	// Other chunks are left to Check: there may be thousands in remote storage.
	m, err := r.checkChunk(ctx, int(x.parts[0].file))
	if err != nil {
		return err
	}
	r.degree, r.model = m.degree(), m.model()
	if x.environment == "" {
		return nil
	}
	r.files = append(r.files, x.environment)
	if m, err = r.checkChunk(ctx, len(r.files)-1); err != nil {
		return err
	}
	r.environment = m.Count
	return nil
}

// location returns the location of the files that the reader's manifest names.
func (r *Reader) location() location {
	return location{folder: r.folder, dir: path.Dir(r.manifest), bundle: r.bundle, limits: r.limits}
}

// chunkLocation is where the images of a chunk are. Callers close it, because the chunk
// may be a bundle.
type chunkLocation struct {
	location
	file folder.File
}

// close closes the chunk's bundle, if there is one.
func (p chunkLocation) close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// readManifest reads and checks the manifest of file i. The format has only folders as
// chunks, but some tools write bundles, and some viewers show them.
func (r *Reader) readManifest(ctx context.Context, i int) (*meta, chunkLocation, error) {
	file, shown, err := r.location().open(ctx, r.manifest, r.files[i])
	if err != nil {
		return nil, chunkLocation{}, err
	}
	if strings.EqualFold(path.Ext(shown), ".sog") {
		return r.readBundledManifest(ctx, file, shown)
	}
	at := chunkLocation{location: r.location()}
	at.dir = path.Join(at.dir, path.Dir(path.Clean(r.files[i])))
	m, err := readManifestFile(file, shown, r.limits)
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, at, err
	}
	return m, at, m.measurePalette(ctx, at.location, r.files[i])
}

// readBundledManifest reads and checks the manifest of a chunk that is a bundle.
func (r *Reader) readBundledManifest(ctx context.Context, file folder.File, shown string) (*meta, chunkLocation, error) {
	opened, err := openBundle(file, shown)
	if err != nil {
		return nil, chunkLocation{}, errors.Join(err, file.Close())
	}
	at := chunkLocation{location{folder: opened, dir: ".", bundle: shown, limits: r.limits}, file}
	inner, within, err := at.open(ctx, shown, metaName)
	if err != nil {
		return nil, chunkLocation{}, errors.Join(err, at.close())
	}
	m, err := readManifestFile(inner, within, r.limits)
	if err = errors.Join(err, inner.Close()); err != nil {
		return nil, chunkLocation{}, errors.Join(err, at.close())
	}
	if err := m.measurePalette(ctx, at.location, within); err != nil {
		return nil, chunkLocation{}, errors.Join(err, at.close())
	}
	return m, at, nil
}

// readManifestFile reads and checks a manifest. The name is for error texts. The file
// stays open.
func readManifestFile(file folder.File, name string, limits Limits) (*meta, error) {
	if file.Size() > limits.ManifestBytes {
		return nil, input.Errorf(name, "has %d bytes; at most %d can be read", file.Size(), limits.ManifestBytes).
			Advise(adviceToExportAgain)
	}
	data := make([]byte, file.Size())
	if n, err := file.ReadAt(data, 0); n < len(data) {
		return nil, fmt.Errorf("read %s: %w", input.Quote(name), err)
	}
	return parseMeta(name, data, limits)
}

// checkChunk reads the manifest of file i, checks the headers of its images, and checks
// that it has all Gaussians that the index refers to.
func (r *Reader) checkChunk(ctx context.Context, i int) (*meta, error) {
	m, at, err := r.readManifest(ctx, i)
	if err != nil {
		return nil, err
	}
	err = errors.Join(m.check(ctx, at.location, r.files[i]), at.close())
	return m, errors.Join(err, r.checkCount(m, i))
}

// checkCount checks that chunk i has all Gaussians that the index refers to.
func (r *Reader) checkCount(m *meta, i int) error {
	for _, parts := range r.levels {
		for _, p := range parts {
			if int(p.file) == i && p.offset+p.count > m.Count {
				return input.Damaged(r.files[i], "it has %d Gaussians, but %s refers to %d", m.Count, input.Quote(r.manifest), p.offset+p.count)
			}
		}
	}
	return nil
}

// Check reads the manifests of all chunks and the headers of all images. It finds files
// that are missing, too small or not images, without decoding any. It returns the box around the
// centres of the Gaussians in all chunks, without the environment. The index of a streamed SOG has
// boxes too, but some tools wrote them for other axes.
func (r *Reader) Check(ctx context.Context) (*gaussian.Bounds, error) {
	var around *gaussian.Bounds
	for i := range r.files {
		m, err := r.checkChunk(ctx, i)
		if err != nil {
			return nil, err
		}
		if r.environment == 0 || i < len(r.files)-1 {
			low, high := m.bounds()
			around = around.Extend(low).Extend(high)
		}
	}
	return around, nil
}

// Version returns the version of the format: 1 or 2 for meta.json, 1 for lod-meta.json.
func (r *Reader) Version() int { return r.version }

// Streamed reports whether the capture is a streamed SOG.
func (r *Reader) Streamed() bool { return r.streamed }

// Levels implements gaussian.Source.
func (r *Reader) Levels() []int { return r.counts }

// Degree implements gaussian.Source. It returns the degree of the first chunk. Missing
// coefficients of other chunks are zero.
func (r *Reader) Degree() int { return r.degree }

// Model returns the renderer that the Gaussians of the first chunk were trained for.
func (r *Reader) Model() Model { return r.model }

// EnvironmentCount returns the number of Gaussians in the environment.
func (r *Reader) EnvironmentCount() int { return int(r.environment) }

// Bounds returns the box around the capture without its environment: the box around the
// centres, or around the leaves of a streamed SOG. Ok is false if the file has none.
func (r *Reader) Bounds() (low, high [3]float64, ok bool) { return r.low, r.high, r.hasBounds }

// Close frees the cached chunks and closes the bundle, if there is one. A folder stays
// the caller's.
func (r *Reader) Close() error {
	r.cache.clear()
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
