package graph

import (
	"context"
	"io"
	"path"
	"sync"
	"time"

	"portico/model"
	"portico/splat"
)

const (
	// maxKnownViews is how many captures firstFiles remembers, at about 1 kB each.
	maxKnownViews = 1000
	// maxManifestBytes is the maximum size of a manifest that is read for a page.
	maxManifestBytes = 4 << 20
	// firstFilesTimeout is how long a page waits for the store. Viewers of a page without the
	// names find the files later, one after the other.
	firstFilesTimeout = 300 * time.Millisecond
	// firstFilesRetry is how long pages do without the names after the store has failed. So a slow
	// store neither delays every page nor fills the log.
	firstFilesRetry = 10 * time.Second
)

// firstFiles remembers which objects of a capture viewers load first. A stored capture never
// changes, so it is read once.
//
// mu guards known and is not held while the store is read. Two requests may read one manifest at
// the same time; both remember the same names.
type firstFiles struct {
	mu sync.Mutex
	// known has the views by the storage key of the manifest.
	known map[string]knownView
}

// knownView is what firstFiles remembers of a capture.
type knownView struct {
	// names are the names of the objects, relative to the manifest.
	names []string
	// retry is when to read the capture again, because the store has failed; zero means never.
	retry time.Time
}

func (f *firstFiles) names(key string) (names []string, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	view, ok := f.known[key]
	return view.names, ok && (view.retry.IsZero() || time.Now().Before(view.retry))
}

// remember stores a view. A full map is emptied as a whole: the captures of busy pages are read
// again once.
func (f *firstFiles) remember(key string, view knownView) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known == nil || len(f.known) >= maxKnownViews {
		f.known = map[string]knownView{}
	}
	f.known[key] = view
}

// FirstFiles returns the addresses that a viewer of the page loads for its first picture, which the
// caller can read: the manifest of the first capture, and the files of its coarsest level if the
// store returns them within firstFilesTimeout. It returns nil for a page without a capture.
//
// Browsers start to load them while they parse the page (link rel=preload), before the viewer runs.
// A failure makes the first picture later, and nothing else.
func (r *Resolver) FirstFiles(ctx context.Context, page *model.SpacePage) []string {
	if page.Capture == nil {
		return nil
	}
	key := page.Capture.ViewStorageKey()
	addresses := []string{r.readURL(ctx, key)}
	names, ok := r.firstFiles.names(key)
	if !ok {
		names = r.findFirstFiles(ctx, key)
	}
	for _, name := range names {
		addresses = append(addresses, r.readURL(ctx, path.Join(path.Dir(key), name)))
	}
	return addresses
}

// findFirstFiles reads the names of a view that is not known, and remembers them or the failure.
// The end of ctx is not a failure of the store: the client has left.
func (r *Resolver) findFirstFiles(ctx context.Context, key string) []string {
	names, err := r.readFirstFiles(ctx, key)
	switch {
	case err == nil:
		r.firstFiles.remember(key, knownView{names: names})
	case ctx.Err() == nil:
		r.firstFiles.remember(key, knownView{retry: time.Now().Add(firstFilesRetry)})
		r.logger.Warn("read which files of a capture are drawn first", "key", key, "error", err)
	}
	return names
}

// readFirstFiles reads the manifest with this key, and returns the names of the files of the
// coarsest level. A damaged capture has none. The time limit covers all reads together.
func (r *Resolver) readFirstFiles(ctx context.Context, key string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, firstFilesTimeout)
	defer cancel()
	var failed error
	read := func(name string) ([]byte, error) {
		var content []byte
		content, failed = r.readObject(ctx, path.Join(path.Dir(key), name))
		return content, failed
	}
	manifest, err := read(path.Base(key))
	if err != nil {
		return nil, err
	}
	names, err := splat.CoarsestFiles(manifest, read)
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, nil // viewers report the damage
	}
	return names, nil
}

// readObject returns up to maxManifestBytes of an object.
func (r *Resolver) readObject(ctx context.Context, key string) ([]byte, error) {
	object, err := r.store.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer object.Close() //nolint:errcheck // read only
	return io.ReadAll(io.LimitReader(object, maxManifestBytes))
}
