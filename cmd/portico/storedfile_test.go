package main

import (
	"bytes"
	"encoding/json"
	"image/jpeg"
	"path"
	"strings"

	"portico/internal/testkit/api"
	"portico/splat"
	"portico/splat/folder"
)

// storedFile is a file as REST lists it.
type storedFile struct {
	ResourceKey string `json:"resource_key"`
	Size        int64  `json:"file_size"`
	URL         string
	ViewURL     string `json:"view_url"`
	PosterURL   string `json:"poster_url"`
	Collision   string `json:"collision_url"`
	Start       *splat.Start
	Attribution string
	Derived     int64 `json:"derived_bytes"`
	Facts       *splat.Facts
}

func (c *user) files() []storedFile {
	c.T.Helper()
	var page struct{ Files []storedFile }
	c.Call("GET", "/v1/files", nil).Want(200, &page)
	return page.Files
}

// file waits until the condition is true for a file, and returns the file.
func (c *user) file(resourceKey, what string, holds func(storedFile) bool) (found storedFile) {
	c.T.Helper()
	api.Eventually(c.T, what, func() bool {
		for _, found = range c.files() {
			if found.ResourceKey == resourceKey {
				return holds(found)
			}
		}
		return false
	})
	return found
}

// awaitPrepared waits until a file of Gaussians was inspected and has its poster, its
// collision, and its view if it is not a streamed SOG.
func (c *user) awaitPrepared(resourceKey string) storedFile {
	c.T.Helper()
	api.Eventually(c.T, "each step of the file's preparation is ready", func() bool {
		var file struct {
			Preparation []struct{ Step, State, Message string }
		}
		check(c.T, c.GraphQL(`query($key: ID!) { file(id: $key) { preparation { step state message } } }`, map[string]any{"key": resourceKey}, &file))
		for _, step := range file.Preparation {
			if step.State != "READY" {
				return false
			}
		}
		return len(file.Preparation) > 1 // facts are the first
	})
	return c.file(resourceKey, "the file has facts, a poster, a collision and a view", func(f storedFile) bool {
		return f.Facts != nil && f.PosterURL != "" && f.Collision != "" && (f.Facts.Format == splat.FormatStreamedSOG || f.ViewURL != f.URL)
	})
}

// fetch downloads a public file.
func (c *user) fetch(address string) []byte {
	c.T.Helper()
	got := c.Send("GET", address, nil, nil, 0)
	if got.Status != 200 {
		c.T.Errorf("GET %s: got %d, want 200", address, got.Status)
	}
	return got.Body
}

// checkServed downloads all files of a capture that is stored in the folder and
// reads it as viewers do.
func (c *user) checkServed(dir string, file storedFile) {
	c.T.Helper()
	root := path.Dir(file.ResourceKey)
	served, size := folder.Memory{}, int64(0)
	for _, name := range objects(c.T, dir, c.ID) {
		if name, ok := strings.CutPrefix(name, root+"/"); ok {
			served[name] = c.fetch(strings.TrimSuffix(file.URL, path.Base(file.URL)) + name)
			size += int64(len(served[name]))
		}
	}
	if size != file.Size {
		c.T.Errorf("size: got %d bytes served, want %d", size, file.Size)
	}
	facts, err := splat.Inspect(c.T.Context(), served, path.Base(file.ResourceKey))
	if err != nil || facts.Splats != file.Facts.Splats || facts.Format != file.Facts.Format {
		c.T.Errorf("what is served: got %+v, %v, want %+v", facts, err, file.Facts)
	}
}

// checkReferences downloads what a streamed SOG names: its chunks, and their images.
func (c *user) checkReferences(address string) {
	c.T.Helper()
	if manifest := c.checkChunks(address); manifest.Environment == "" {
		c.T.Fatalf("manifest: got %+v, want an environment", manifest)
	}
}

// streamManifest is what a lod-meta.json names.
type streamManifest struct {
	Filenames   []string
	Environment string
}

// checkChunks downloads the chunks of a streamed SOG and their images.
func (c *user) checkChunks(address string) (manifest streamManifest) {
	c.T.Helper()
	check(c.T, json.Unmarshal(c.fetch(address), &manifest))
	if len(manifest.Filenames) == 0 {
		c.T.Fatalf("manifest: got %+v, want chunks", manifest)
	}
	all := manifest.Filenames
	if manifest.Environment != "" {
		all = append(all, manifest.Environment)
	}
	for _, chunk := range all {
		chunk = strings.TrimSuffix(address, path.Base(address)) + chunk
		fields := map[string]json.RawMessage{}
		check(c.T, json.Unmarshal(c.fetch(chunk), &fields))
		for _, field := range fields {
			var images struct{ Files []string }
			if json.Unmarshal(field, &images) == nil {
				for _, image := range images.Files {
					c.fetch(strings.TrimSuffix(chunk, path.Base(chunk)) + image)
				}
			}
		}
	}
	return manifest
}

// checkPoster checks the size of a file's poster.
func (c *user) checkPoster(file storedFile) {
	c.T.Helper()
	picture := c.fetch(file.PosterURL)
	if config, err := jpeg.DecodeConfig(bytes.NewReader(picture)); err != nil || config.Width != 640 || config.Height != 400 {
		c.T.Errorf("poster: got %d x %d, %v, want 640 x 400", config.Width, config.Height, err)
	}
}

// checkCollision downloads both files of a collision as viewers do, and returns their size.
func (c *user) checkCollision(file storedFile) int64 {
	c.T.Helper()
	var document struct {
		Version       string
		NodeCount     int
		LeafDataCount int
	}
	text := c.fetch(file.Collision)
	check(c.T, json.Unmarshal(text, &document))
	voxels := c.fetch(strings.Replace(file.Collision, ".voxel.json", ".voxel.bin", 1))
	if want := 4 * (document.NodeCount + document.LeafDataCount); document.Version != "1.1" || len(voxels) != want {
		c.T.Errorf("collision: got %d bytes for %+v, want %d", len(voxels), document, want)
	}
	if file.Start == nil || file.Start.Position == file.Start.Target {
		c.T.Errorf("start: got %+v, want a view", file.Start)
	}
	return int64(len(text) + len(voxels))
}

// createSpaceOf creates a space from a file and returns its id and the data of its entity.
func (c *user) createSpaceOf(file storedFile) (space string, data map[string]any) {
	c.T.Helper()
	var made struct {
		ID string `json:"spaceId"`
	}
	c.Call("POST", "/v1/spaces", map[string]any{"resource_key": file.ResourceKey}).Want(201, &made)
	entities := c.entities(made.ID)
	if len(entities) == 0 {
		c.T.Fatal("the space has no entity")
	}
	return made.ID, entities[len(entities)-1].EntityData
}

// checkNothingLeft waits until nothing of the account's files is stored.
func (c *user) checkNothingLeft(dir string) {
	c.T.Helper()
	c.AwaitUsed(0)
	if got := c.files(); len(got) != 0 {
		c.T.Errorf("files: got %+v, want none", got)
	}
	api.Eventually(c.T, "all objects are removed", func() bool { return len(objects(c.T, dir, c.ID)) == 0 })
}
