package space_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// camera is a view of a space.
type camera struct {
	Eye   [3]float64 `json:"eye"`
	Yaw   float64    `json:"yaw"`
	Pitch float64    `json:"pitch"`
}

// source is a file that the engine alone draws.
type source struct {
	URL  string `json:"url"`
	Mesh bool   `json:"mesh"`
}

// format is a capture in one format, in a space of its own, with what the engine draws for
// comparison: the file itself where the engine reads the format, and else the PLY with the
// Gaussians that the file was written from.
type format struct {
	Name   string `json:"name"`
	Space  string `json:"space"`
	Camera camera `json:"camera"`
	Source source `json:"source"`
	Other  source `json:"other"` // another file, which must look different
}

// formatFile is a file to upload. Drawn is the source, by its name in the folder of sources.
type formatFile struct {
	name    string
	content []byte
	drawn   string
}

// visitFormats uploads a capture of each format, and compares the pictures of its space with
// the engine's own pictures of the source.
func (s site) visitFormats(t *testing.T, _ files) {
	t.Helper()
	sources := filepath.Join(s.scripts.Folder, "sources")
	check(t, os.Mkdir(sources, 0o755))
	files := formatFiles(t, sources)
	server := httptest.NewServer(http.FileServer(http.Dir(s.scripts.Folder)))
	t.Cleanup(server.Close)
	terrain := camera{Eye: [3]float64{2, 3.5, 14}, Yaw: 170, Pitch: -12}
	var formats []format
	var captures []string
	for _, file := range files {
		key := s.upload(file.name, file.content)
		mesh := file.drawn == "model.glb"
		f := format{
			Name: file.name, Space: s.newSpace(file.name, "infinite", key), Camera: terrain,
			Source: source{server.URL + "/sources/" + file.drawn, mesh}, Other: source{server.URL + "/sources/other.ply", false},
		}
		if mesh {
			f.Camera = camera{Eye: [3]float64{0.4, 0.9, 2.5}, Pitch: -15}
		} else {
			captures = append(captures, key)
		}
		formats = append(formats, f)
	}
	for _, key := range captures {
		s.awaitView(key)
	}
	s.visit(t, "formats.mjs", map[string]any{"formats": formats, "reference": server.URL + "/reference.html"})
}

// formatFiles returns a file of each format, and writes the sources into the folder.
func formatFiles(t *testing.T, sources string) []formatFile {
	t.Helper()
	scan := splattest.LCCCapture{Splats: 5000, Levels: 2, Columns: 1, Rows: 1, Seed: 1}
	another := scan
	another.Seed = 2
	cloud := trainerSplats(scan)
	ply := newPLY(cloud)
	written := map[string][]byte{
		"scan.ply": ply, "other.ply": newPLY(trainerSplats(another)), "model.glb": newModel(),
		"scan.compressed.ply": export(t, ply, splat.FormatCompressedPLY, splat.ConvertOptions{}),
		"scan.sog":            bundle(t, ply),
	}
	streamed := folder.Memory{}
	_, _, err := open(t, ply).WriteStreamedSOG(t.Context(), streamed, splat.ConvertOptions{})
	check(t, err)
	for name, content := range streamed {
		written["streamed/"+name] = content
	}
	old := oldSOG(t, written["scan.sog"])
	for name, content := range old {
		written["version1/"+name] = content
	}
	for name, content := range written {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(sources, name)), 0o755))
		check(t, os.WriteFile(filepath.Join(sources, name), content, 0o600))
	}
	var lcc bytes.Buffer
	check(t, scan.Zip(&lcc))
	return []formatFile{
		{"scan.ply", ply, "scan.ply"},
		{"scan.compressed.ply", written["scan.compressed.ply"], "scan.compressed.ply"},
		{"scan.spz", export(t, ply, splat.FormatSPZ, splat.ConvertOptions{}), "scan.ply"},
		{"version3.spz", export(t, ply, splat.FormatSPZ, splat.ConvertOptions{SPZVersion: 3}), "scan.ply"},
		{"version2.spz", oldSPZ(t, cloud), "scan.ply"},
		{"scan.sog", written["scan.sog"], "scan.sog"},
		{"version1.zip", zipOf(t, old), "version1/meta.json"},
		{"streamed.zip", zipOf(t, streamed), "streamed/lod-meta.json"},
		{"single.zip", zipOf(t, folder.Memory{"scans/scan.ply": ply}), "scan.ply"},
		{"supersplat.html", htmlOf(written["scan.sog"]), "scan.sog"},
		{"lcc.zip", lcc.Bytes(), "scan.ply"},
		{"lcc2.zip", zipOf(t, folder.Memory{
			"room.lcc2": []byte(lcc2Manifest), "data/3dgs/0.sog": bundle(t, newPLY(finest(scan))),
		}), "scan.ply"},
		{"scan.splat", splattest.SplatFile(cloud), "scan.ply"},
		{"scan.ksplat", splattest.KSplat(cloud, 1), "scan.ply"},
		{"gaussians.glb", export(t, ply, splat.FormatGLB, splat.ConvertOptions{}), "scan.ply"},
		{"model.glb", written["model.glb"], "model.glb"},
	}
}

// lcc2Manifest is the manifest of a capture with one level in one tile.
const lcc2Manifest = `{"version":"0.0.3","totalSplats":5000,"lodSplats":[5000],"totalLevels":1,"splatType":".sog",
	"root":{"splatFiles":["data/3dgs/0.sog"],"child":{"0":{"data":{"3dgs":{"name":0,"start":0,"count":5000}}}}}}`

// htmlOf returns a page with a capture in it, as SuperSplat exports them.
func htmlOf(sog []byte) []byte {
	return []byte(`<!DOCTYPE html><html><head><title>Scan</title></head><body><script type="module">
		const contents = fetch("data:application/octet-stream;base64,` + base64.StdEncoding.EncodeToString(sog) + `");
	</script></body></html>`)
}

func open(t *testing.T, ply []byte) *splat.Capture {
	t.Helper()
	capture, err := splat.Open(t.Context(), folder.Memory{"a.ply": ply}, "a.ply")
	check(t, err)
	t.Cleanup(func() { check(t, capture.Close()) })
	return capture
}

// export writes a PLY in another format.
func export(t *testing.T, ply []byte, format splat.Format, options splat.ConvertOptions) []byte {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "made"))
	check(t, err)
	_, _, err = open(t, ply).WriteFile(t.Context(), format, out, options)
	check(t, err)
	check(t, out.Close())
	content, err := os.ReadFile(out.Name())
	check(t, err)
	return content
}

// bundle writes a PLY as a .sog.
func bundle(t *testing.T, ply []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	_, _, err := open(t, ply).WriteSOG(t.Context(), &b, splat.ConvertOptions{})
	check(t, err)
	return b.Bytes()
}

func zipOf(t *testing.T, files folder.Memory) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range files {
		w, err := z.Create(name)
		check(t, err)
		_, err = w.Write(content)
		check(t, err)
	}
	check(t, z.Close())
	return b.Bytes()
}
