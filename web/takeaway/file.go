package takeaway

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"portico/web/preview"
)

// maxIndexBytes is the maximum size of an index that names the other files of a folder.
const maxIndexBytes = 64 << 20

// writer copies files of the server into a folder.
type writer struct {
	source Source
	server string
	folder preview.Folder
	// origins are where the files of the server are.
	origins map[string]bool
	// taken has the path of each copy, by its address without the query.
	taken    map[string]string
	folders  int
	warnings []string
}

func newWriter(source Source, server string, folder preview.Folder, space *remoteSpace) *writer {
	w := &writer{source: source, server: server, folder: folder, origins: map[string]bool{}, taken: map[string]string{}}
	addresses := []string{server, space.URL}
	for _, entity := range space.Entities.Nodes {
		if entity.ReadURL != nil {
			addresses = append(addresses, *entity.ReadURL)
		}
		if entity.File != nil {
			addresses = append(addresses, entity.File.URL, entity.File.ViewURL)
		}
	}
	for _, address := range addresses {
		w.origins[originOf(address)] = true
	}
	delete(w.origins, "")
	return w
}

func (w *writer) warn(format string, args ...any) {
	w.warnings = append(w.warnings, fmt.Sprintf(format, args...))
}

func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// pathOf returns the path of an address.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

// storedPath matches the paths of stored files: the id of an account is followed by a resource key.
var storedPath = regexp.MustCompile(`/[0-9]{8}/\S+\.\w+$`)

// isFile reports whether a text is the address of a file of the server.
func (w *writer) isFile(text string) bool {
	return w.origins[originOf(text)] && storedPath.MatchString(pathOf(text))
}

// take copies one file and returns its path in the folder; "" with a warning if it cannot be read.
func (w *writer) take(ctx context.Context, address string) string {
	local, err := w.takeAll(ctx, address)
	if err != nil {
		w.warn("%s cannot be read, and was left out: %v", withoutQuery(address), err)
		return ""
	}
	return local
}

// withoutQuery returns an address without its query, which may be a signature.
func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}

// takeAll copies a file, with the files that it names, and returns its path in the folder.
func (w *writer) takeAll(ctx context.Context, address string) (string, error) {
	key := withoutQuery(address)
	if local, ok := w.taken[key]; ok {
		return local, nil
	}
	base, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	folder := "files/" + strconv.Itoa(w.folders+1) + "/"
	w.folders++
	name := safeName(path.Base(base.Path))
	if err := w.copyFolder(ctx, base, path.Base(base.Path), folder, name); err != nil {
		return "", err
	}
	w.taken[key] = folder + name
	return folder + name, nil
}

var unsafeCharacters = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// safeName returns a name that needs no escapes in an address, and is no hidden file.
func safeName(name string) string {
	name = strings.TrimLeft(unsafeCharacters.ReplaceAllString(name, "_"), ".")
	if name == "" {
		return "file"
	}
	return name
}

// copyFolder copies the file at a name relative to base, and what it names, to the folder. The first
// one is called local; the names of the others stay, because the first one has them.
func (w *writer) copyFolder(ctx context.Context, base *url.URL, name, folder, local string) error {
	pending := []string{name}
	seen := map[string]bool{name: true}
	for len(pending) > 0 {
		next := pending[0]
		pending = pending[1:]
		to := folder + next
		if next == name {
			to = folder + local
		}
		named, err := w.copyFile(ctx, resolve(base, next), next, to)
		if err != nil {
			return err
		}
		for _, other := range named {
			other = path.Join(path.Dir(next), other)
			if !filepath.IsLocal(other) || seen[other] { // nothing outside the folder
				continue
			}
			seen[other] = true
			pending = append(pending, other)
		}
	}
	return nil
}

// resolve returns the address of a name beside the file of base, with the same query.
func resolve(base *url.URL, name string) string {
	u := *base
	u.Path, u.RawPath = path.Join(path.Dir(base.Path), name), ""
	return u.String()
}

// copyFile copies a file and returns the names of the files that it needs, relative to itself.
func (w *writer) copyFile(ctx context.Context, address, name, to string) ([]string, error) {
	content, err := w.source.Open(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer content.Close() //nolint:errcheck // read only
	if !isIndex(name) {
		return nil, w.folder.WriteNew(to, content)
	}
	text, err := io.ReadAll(io.LimitReader(content, maxIndexBytes))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var index any
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	named := namesIn(index)
	if stem, ok := strings.CutSuffix(path.Base(name), ".voxel.json"); ok {
		named = []string{stem + ".voxel.bin"}
	}
	return named, w.folder.WriteNew(to, bytes.NewReader(text))
}

// isIndex reports whether a file names others: the indexes of a streamed SOG, of a SOG in files, of a
// glTF, and the head of a collision.
func isIndex(name string) bool {
	name = strings.ToLower(path.Base(name))
	return name == "lod-meta.json" || name == "meta.json" || strings.HasSuffix(name, ".gltf") || strings.HasSuffix(name, ".voxel.json")
}

// namesIn returns the names of files in an index, at any depth.
func namesIn(value any) (names []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			names = append(names, namesIn(element)...)
		}
	case map[string]any:
		for name, field := range value {
			switch name {
			case "filenames", "files", "uri", "environment":
				names = append(names, textsIn(field)...)
			default:
				names = append(names, namesIn(field)...)
			}
		}
	}
	return names
}

// textsIn returns a text, or the texts of a list. Data URIs are no names.
func textsIn(value any) (texts []string) {
	switch value := value.(type) {
	case string:
		if strings.HasPrefix(value, "data:") {
			return nil
		}
		if name, err := url.PathUnescape(value); err == nil {
			value = name
		}
		return []string{value}
	case []any:
		for _, element := range value {
			texts = append(texts, textsIn(element)...)
		}
	}
	return texts
}
