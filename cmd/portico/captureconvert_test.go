package main

import (
	"bytes"
	"encoding/binary"
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
	bundle := c.prepared(done.Result.ResourceKey)
	if f := bundle.Facts; f.Format != splat.FormatSOG || f.Splats != 700 {
		t.Errorf("facts: got %+v, want 700 splats of SOG", f)
	}
	var started struct{ ID string }
	check(t, c.GraphQL(`mutation($key: ID!) { convertFile(input: {fileId: $key, to: STREAMED_SOG}) { job { id: jobId } } }`,
		map[string]any{"key": bundle.ResourceKey}, &started))
	if done = c.Await(started.ID); done.Status != "completed" {
		t.Fatalf("convertFile: got %+v, want it completed", done)
	}
	streamed := c.prepared(done.Result.ResourceKey)
	c.checkServed(server.dir, streamed)
	bundle = c.prepared(bundle.ResourceKey) // it stays
	c.AwaitUsed(bundle.Size + bundle.Derived + streamed.Size + streamed.Derived)
	c.deleteFile(bundle)
	c.deleteFile(streamed)
	c.checkNothingLeft(server.dir)
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
	file := c.prepared(confirmed.ResourceKey)
	if file.Facts.Format != splat.FormatSPZ || file.Facts.Version != "4" || path.Base(file.ViewURL) != splat.StreamedSOGName {
		t.Errorf("file: got %+v, want an SPZ with a streamed SOG as its view", file)
	}
	space, shown := c.shown(file)
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
func (c *client) startConversion(name string, file api.Content, to string) string {
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

// deleteFile deletes a file.
func (c *client) deleteFile(file storedFile) {
	c.T.Helper()
	c.Call("DELETE", "/v1/files?resource_key="+url.QueryEscape(file.ResourceKey), nil).Want(200, nil)
}
