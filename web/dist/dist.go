// Package dist contains the scripts and styles that browsers load, built from their sources in
// TypeScript. Folder space is the build of web/space, and folder console the build of
// web/console. `make dist` writes them, and `make verify` compares them with the sources. The
// name of a file contains a hash of its content, so that browsers can cache it forever. Folder
// .vite of each build contains the manifest, and the licences of the packages in the build.
package dist

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
)

//go:embed all:console all:space
var embedded embed.FS

// Path is the path at which package place serves the files.
const Path = "/dist/"

// Files returns the built files, with a folder for each front end, such as console.
func Files() fs.FS { return embedded }

// entries are the source files of the module scripts, by build.
var entries = map[string]string{"console": "src/main.ts", "space": "src/main.ts"}

// Entry returns the paths in Files of the module script and the style sheets that a page of this
// build loads. The styles of imported scripts come first. The builds are "console" and "space".
func Entry(name string) (script string, styles []string, err error) {
	chunks, source, err := readManifest(name)
	if err != nil {
		return "", nil, err
	}
	for _, key := range append(withImports(chunks, chunks[source].Imports), source) {
		for _, style := range chunks[key].CSS {
			styles = append(styles, name+"/"+style)
		}
	}
	return name + "/" + chunks[source].File, styles, nil
}

// Imports returns the paths in Files of the scripts that a page of this build loads besides its
// module script, so that the page can preload them in parallel. They are the imports of the module
// script, and the named sources, such as "src/visit.ts", with their imports. Imports skips sources
// that the build does not have.
func Imports(name string, sources ...string) ([]string, error) {
	chunks, source, err := readManifest(name)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, key := range withImports(chunks, slices.Concat(chunks[source].Imports, sources)) {
		paths = append(paths, name+"/"+chunks[key].File)
	}
	return paths, nil
}

// withImports returns the keys and the keys of all chunks that they import, each once. It skips
// unknown keys.
func withImports(chunks map[string]chunk, keys []string) (found []string) {
	queue := slices.Clone(keys)
	for i := 0; i < len(queue); i++ {
		if part, ok := chunks[queue[i]]; ok && !slices.Contains(found, queue[i]) {
			found = append(found, queue[i])
			queue = append(queue, part.Imports...)
		}
	}
	return found
}

// chunk is a script of a build.
type chunk struct {
	File    string
	CSS     []string
	Imports []string // the keys of other chunks
}

// readManifest returns the scripts of a build and the key of its module script.
func readManifest(name string) (chunks map[string]chunk, source string, err error) {
	source, ok := entries[name]
	if !ok {
		return nil, "", fmt.Errorf("there is no build %q", name)
	}
	manifest, err := fs.ReadFile(embedded, name+"/.vite/manifest.json")
	if err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(manifest, &chunks); err != nil {
		return nil, "", fmt.Errorf("read the manifest of %s: %w", name, err)
	}
	if _, ok := chunks[source]; !ok {
		return nil, "", fmt.Errorf("the manifest of %s has no %s", name, source)
	}
	return chunks, source, nil
}
