package supersplat_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/s3"
	"portico/internal/testkit/world"
	"portico/model"
	"portico/splat/splattest"
)

// TestPlugin_publishes plays the calls of the plugin of LichtFeld Studio in their order, with the
// checks that it makes of each response, to a folder and to a bucket.
func TestPlugin_publishes(t *testing.T) {
	t.Parallel()
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		playPlugin(t, world.Start(t))
	})
	t.Run("S3", func(t *testing.T) {
		t.Parallel()
		gateway := s3.Start(t)
		playPlugin(t, world.Start(t, "--storage-url=s3://"+gateway.Bucket(t)+"?endpoint="+gateway.Endpoint))
	})
}

func playPlugin(t *testing.T, w world.World) {
	c := newClient(t, w, "ada", model.PlanPro)
	var me struct{ ID, Username string }
	send(c, "GET /me", nil, 200, &me)
	if me.ID != c.ID || me.Username != "ada" {
		t.Errorf("me: got %+v, want ada", me)
	}
	content := append(ply(), random(partSize+12_345)...) // two parts; nobody reads it
	sum := sha256.Sum256(content)
	body := object{
		"sourceFormat": "ply", "contentLength": len(content), "title": "Great hall", "description": "Two parts",
		"softwareTools": []string{"lichtfeld-studio"}, "uploadClient": object{"id": "supersplat-lichtfeld-plugin", "version": "1.0.0"},
	}
	key := []string{"Idempotency-Key", "supersplat-" + hex.EncodeToString(sum[:])}
	var s, again session
	send(c, "POST /splats/uploads", body, 201, &s, key...)
	if s.ID == "" || s.ContentLength == nil || *s.ContentLength != int64(len(content)) || s.SourceFormat != "ply" || s.PartSize <= 0 || s.Status != "created" {
		t.Fatalf("session: got %+v, want what was asked for", s)
	}
	if s.Title != "Great hall" || s.Description != "Two parts" || len(s.SoftwareTools) != 1 || s.UploadedParts == nil || s.ExpiresAt == "" {
		t.Errorf("session: got %+v, want the texts", s)
	}
	send(c, "POST /splats/uploads", body, 200, &again, key...)
	if again.ID != s.ID {
		t.Errorf("the same idempotency key: got upload %s, want %s", again.ID, s.ID)
	}
	var parts []part
	count := (len(content) + int(s.PartSize) - 1) / int(s.PartSize)
	for i := range count { // batches of one
		urls := addresses(c, s, i+1)
		end := min((i+1)*int(s.PartSize), len(content))
		parts = append(parts, part{PartNumber: i + 1, ETag: putWanted(c, urls[i+1], content[i*int(s.PartSize):end])})
	}
	if got := current(c, s); got.Status != "uploading" || len(got.UploadedParts) != count || got.UploadedParts[1].ETag != parts[1].ETag ||
		got.UploadedParts[0].Size != s.PartSize {
		t.Errorf("while uploading: got %+v, want %d parts", got, count)
	}
	id := complete(c, s, 201, parts...)
	if repeated := complete(c, s, 200, parts...); repeated != id {
		t.Errorf("completed again: got splat %s, want %s", repeated, id)
	}
	if got := current(c, s); got.Status != "completed" || got.SplatID != id || got.EditURL == "" {
		t.Errorf("a completed upload: got %+v, want its splat", got)
	}
	var got splat
	send(c, "GET /splats/"+id, nil, 200, &got)
	if got.ID != id || got.ViewerURL != c.URL+"/"+id || got.Title != "Great hall" || got.Status != "completed" || got.Visibility != "unlisted" ||
		got.Format == nil || *got.Format != "ply" || got.Size != int64(len(content)) || got.CompletedAt == nil {
		t.Errorf("splat: got %+v, want the published one", got)
	}
	checkShown(t, c, id, content)
}

// checkShown reads the file that the space shows, as a viewer does.
func checkShown(t *testing.T, c *api.Client, id string, content []byte) {
	t.Helper()
	var list []struct {
		Data struct {
			GLBURL string `json:"glbUrl"`
		} `json:"entity_data"`
	}
	_, err := c.REST("GET", "/spaces/"+id+"/entities", nil, &struct {
		Entities any `json:"entities"`
	}{&list})
	check(t, err)
	if len(list) != 1 {
		t.Fatalf("entities: got %d, want the splat alone", len(list))
	}
	file := c.Send("GET", list[0].Data.GLBURL, nil, http.NoBody, 0)
	if file.Status != 200 || string(file.Body) != string(content) {
		t.Errorf("the file: got %d with %d bytes, want the %d that were sent", file.Status, len(file.Body), len(content))
	}
}

// A file that a job extracts appears in its space by itself, when the job has ended.
func TestUpload_that_needs_a_job(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada", model.PlanFree)
	zip := new(writer)
	_, err := splattest.Capture{Tiles: 2, TileBytes: 1000}.WriteTo(zip)
	check(t, err)
	var s session
	send(c, "POST /splats/uploads", object{"sourceFormat": "lcc", "contentLength": len(*zip), "title": "Scan"}, 201, &s)
	id := complete(c, s, 201, part{PartNumber: 1, ETag: putWanted(c, addresses(c, s, 1)[1], *zip)})
	var got splat
	read := func() splat {
		got = splat{}
		send(c, "GET /splats/"+id, nil, 200, &got)
		return got
	}
	if read(); got.Status != "processing" || got.Format != nil || got.Size != 0 || got.CompletedAt != nil {
		t.Errorf("before the job: got %+v, want a splat that is processed", got)
	}
	w.StartWorker(t)
	api.Eventually(t, "the splat is completed", func() bool { return read().Status == "completed" })
	if got.Format == nil || got.Size == 0 || got.CompletedAt == nil || got.Visibility != "unlisted" {
		t.Errorf("after the job: got %+v, want the extracted file", got)
	}
	space, err := w.DB.Spaces().Space(t.Context(), id)
	check(t, err)
	if space.Privacy != model.Private {
		t.Errorf("privacy of a free account: got %q, want Private", space.Privacy)
	}
}

// writer is a buffer that implements io.Writer.
type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

// The list has the spaces of the account, newest first, in pages by their number.
func TestSplats_lists_spaces(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada", model.PlanPro)
	for i := range 3 {
		_, err := c.REST("POST", "/spaces", object{"title": fmt.Sprint("space ", i), "privacy": "Public"}, nil)
		check(t, err)
	}
	var list struct {
		Data       []splat
		Pagination struct{ Skip, Limit, Total int }
	}
	send(c, "GET /splats?limit=2&skip=1", nil, 200, &list)
	if len(list.Data) != 2 || list.Data[0].Title != "space 1" || list.Data[1].Title != "space 0" || list.Pagination.Total != 3 || list.Pagination.Skip != 1 ||
		list.Pagination.Limit != 2 {
		t.Errorf("got %+v, want the second and the third of 3", list)
	}
	if s := list.Data[0]; s.Visibility != "listed" || s.Status != "completed" || s.Format != nil {
		t.Errorf("an empty Public space: got %+v, want listed", s)
	}
	send(c, "GET /splats?skip=3", nil, 200, &list)
	if len(list.Data) != 0 || list.Pagination.Limit != 50 || list.Pagination.Total != 3 {
		t.Errorf("after the end: got %+v, want nothing of 3", list)
	}
	for _, query := range []string{"limit=0", "limit=129", "limit=x", "skip=-1", "skip=100001"} {
		send(c, "GET /splats?"+query, nil, 400, nil)
	}
}
