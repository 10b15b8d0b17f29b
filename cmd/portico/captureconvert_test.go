package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"path"
	"testing"

	"portico/internal/testkit/api"
	"portico/splat"
)

// trainedPLY returns a PLY of Gaussians on a line, as trainers write it.
func trainedPLY(splats int) api.Content {
	var b bytes.Buffer
	fmt.Fprintf(&b, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", splats)
	row := []struct {
		name  string
		value float32
	}{
		{"x", 0}, {"y", 1}, {"z", 2}, {"f_dc_0", 1}, {"f_dc_1", 0}, {"f_dc_2", -1}, {"opacity", 2},
		{"scale_0", -3}, {"scale_1", -3}, {"scale_2", -4}, {"rot_0", 1}, {"rot_1", 0}, {"rot_2", 0}, {"rot_3", 0},
	}
	for _, property := range row {
		fmt.Fprintf(&b, "property float %s\n", property.name)
	}
	b.WriteString("end_header\n")
	for i := range splats {
		row[0].value = float32(i) / 10
		for _, property := range row {
			b.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(property.value)))
		}
	}
	return api.Content{Size: int64(b.Len()), Source: &b}
}

// testConversions converts an upload, and what came of it, and deletes both.
func testConversions(t *testing.T, server *process) {
	c := server.newUser(t, "converter@example.com")
	done := c.Await(c.startConversion("Tree.ply", trainedPLY(700), "sog"))
	if done.Status != "completed" || path.Ext(done.Result.ResourceKey) != ".sog" {
		t.Fatalf("job: got %+v, want it completed with a .sog", done)
	}
	bundle := c.awaitPrepared(done.Result.ResourceKey)
	if f := bundle.Facts; f.Format != splat.FormatSOG || f.Splats != 700 {
		t.Errorf("facts: got %+v, want 700 splats of SOG", f)
	}
	streamed := c.convertFile(bundle, "STREAMED_SOG")
	c.checkServed(server.dir, streamed)
	files := []storedFile{streamed, c.testEdits(streamed), c.testMerge(streamed), c.testGLTF(streamed), c.awaitPrepared(bundle.ResourceKey)} // it stays
	used := int64(0)
	for _, file := range files {
		used += file.Size + file.Derived
	}
	c.AwaitUsed(used)
	for _, file := range files {
		c.deleteFile(file)
	}
	c.checkNothingLeft(server.dir)
}

// testEdits converts a streamed SOG of a line of 700 Gaussians from 0 to 69.9 m. Its x is
// mirrored in the coordinates of changes: the half from 35 m on is there from -35 m down.
func (c *user) testEdits(streamed storedFile) storedFile {
	c.T.Helper()
	made := c.convertFile(streamed, `PLY, edits: [
		{filterBox: {min: [-1000, -1000, -1000], max: [-34.95, 1000, 1000]}}, {translate: [35, 0, 0]}, {scale: 2}]`)
	f := made.Facts
	if f.Format != splat.FormatPLY || f.Splats != 350 || f.Bounds == nil || math.Abs(f.Bounds.Min[0]) > 0.1 || math.Abs(f.Bounds.Max[0]-69.8) > 0.1 {
		c.T.Errorf("facts: got %+v with bounds %v, want half the line, moved and doubled", f, f.Bounds)
	}
	return made
}

// testMerge merges a streamed SOG of a line of 700 Gaussians with itself, ten metres higher,
// removes floaters (there are none), and halves the result.
func (c *user) testMerge(streamed storedFile) storedFile {
	c.T.Helper()
	made := c.convertFile(streamed, `SPZ, edits: [
		{merge: {fileId: "`+streamed.ResourceKey+`", translate: [0, 10, 0]}}, {filterFloaters: {size: 0.2, contribution: 0.0001}},
		{decimate: {percent: 50}}]`)
	f := made.Facts
	if f.Format != splat.FormatSPZ || f.Splats != 700 || f.Bounds == nil || math.Abs(f.Bounds.Max[1]-f.Bounds.Min[1]-10) > 0.2 {
		c.T.Errorf("facts: got %+v with bounds %v, want half of two lines of 700, ten metres apart", f, f.Bounds)
	}
	return made
}

// convertFile converts a stored file to a target, with or without changes.
func (c *user) convertFile(file storedFile, to string) storedFile {
	c.T.Helper()
	var started struct{ ID string }
	check(c.T, c.GraphQL(`mutation($key: ID!) { convertFile(input: {fileId: $key, to: `+to+`}) { job { id: jobId } } }`,
		map[string]any{"key": file.ResourceKey}, &started))
	done := c.Await(started.ID)
	if done.Status != "completed" {
		c.T.Fatalf("convertFile to %s: got %+v, want it completed", to, done)
	}
	return c.awaitPrepared(done.Result.ResourceKey)
}

// testGLTF converts a streamed SOG of a line from x = 0 to 69.9 m, y down, to glTF, y up. Its
// view must lie where the glTF does, because entities rotate neither.
func (c *user) testGLTF(streamed storedFile) storedFile {
	c.T.Helper()
	made := c.convertFile(streamed, "GLB")
	var index struct{ Tree struct{ Bound splat.Bounds } }
	check(c.T, json.Unmarshal(c.fetch(made.ViewURL), &index))
	if low, high := index.Tree.Bound.Min[0], index.Tree.Bound.Max[0]; math.Abs(low+70) > 0.5 || math.Abs(high) > 0.5 {
		c.T.Errorf("view of glTF: got x from %v to %v, want about -70 to 0", low, high)
	}
	return made
}

// testView uploads an SPZ of a version that viewers do not read. A streamed SOG is made of
// it without being asked for.
func testView(t *testing.T, server *process) {
	c := server.newUser(t, "viewer@example.com")
	packed, err := os.ReadFile("../../splat/spz/testdata/v4-degree3-axes1.spz")
	check(t, err)
	var confirmed struct {
		ResourceKey string `json:"resource_key"`
	}
	address := c.Put("Tree.spz", api.Content{Size: int64(len(packed)), Source: bytes.NewReader(packed)})
	c.Call("POST", "/v1/files/upload-complete", api.Completion(address)).Want(200, &confirmed)
	file := c.awaitPrepared(confirmed.ResourceKey)
	if file.Facts.Format != splat.FormatSPZ || file.Facts.Version != "4" || path.Base(file.ViewURL) != splat.StreamedSOGName {
		t.Errorf("file: got %+v, want an SPZ with a streamed SOG as its view", file)
	}
	space, shown := c.createSpaceOf(file)
	if shown["glbUrl"] != file.URL {
		t.Errorf("entity: got %v, want it to show %s", shown, file.URL)
	}
	c.checkChunks(file.ViewURL)
	if least := int64(len(c.fetch(file.PosterURL))) + c.checkCollision(file); file.Derived <= least {
		t.Errorf("derived: got %d bytes, want more than the %d of poster and collision", file.Derived, least)
	}
	c.Call("DELETE", "/v1/spaces/"+space, nil).Want(200, nil) // its JSON counts too
	c.AwaitUsed(file.Size + file.Derived)
	c.deleteFile(file)
	c.checkNothingLeft(server.dir)
	if got := c.Send("GET", file.ViewURL, nil, nil, 0); got.Status != 404 {
		t.Errorf("the view of a file that was deleted: got %d, want 404", got.Status)
	}
}

// startConversion uploads a file that is to be converted and returns the job's id.
func (c *user) startConversion(name string, file api.Content, to string) string {
	c.T.Helper()
	var upload struct{ Params api.Upload }
	c.Call("POST", "/v1/files/upload", map[string]any{
		"file_name": name, "file_size": file.Size, "content_type": "application/octet-stream", "convert_to": to,
	}).Want(200, &upload)
	var body bytes.Buffer
	_, err := file.Source.WriteTo(&body)
	check(c.T, err)
	header := http.Header{}
	for name, value := range upload.Params.Headers {
		header.Set(name, value)
	}
	c.Send(upload.Params.Method, upload.Params.URL, header, &body, file.Size).Want(200, nil)
	var started struct {
		JobID string `json:"job_id"`
	}
	c.Call("POST", "/v1/files/upload-complete", api.Completion(upload.Params.URL)).Want(202, &started)
	return started.JobID
}

func (c *user) deleteFile(file storedFile) {
	c.T.Helper()
	c.Call("DELETE", "/v1/files?resource_key="+url.QueryEscape(file.ResourceKey), nil).Want(200, nil)
}
