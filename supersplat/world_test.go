package supersplat_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/s3"
	"portico/internal/testkit/world"
	"portico/model"
)

// TestMain sets the keys of the test's buckets, because a parallel test cannot.
func TestMain(m *testing.M) {
	for _, variable := range s3.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	postgres.Main(m)
}

const (
	root     = "/api/supersplat/v1"
	partSize = 64 << 20
)

// newClient creates an account with a quota of 200 MB.
func newClient(t *testing.T, w world.World, name string, plan model.Plan) *api.Client {
	t.Helper()
	return w.NewClient(t, model.CreateUser{Email: name + "@example.com", Plan: plan, Quota: 200e6})
}

// session is an upload as the API shows it.
type session struct {
	ID, Status, SourceFormat, Title, Description string
	ContentLength                                *int64
	PartSize                                     int64
	SoftwareTools                                []string
	UploadedParts                                []part
	ExpiresAt                                    string
	SplatID, EditURL                             string
}

type part struct {
	PartNumber int    `json:"partNumber"`
	ETag       string `json:"etag"`
	Size       int64  `json:"size,omitempty"`
}

type splat struct {
	ID, Title, Description, Status, Visibility string
	Format, CompletedAt                        *string
	Size                                       int64
	ViewerURL, CreatedAt, UpdatedAt            string
}

// send makes a call, a method and a path of the API, with the key of the client, and reads the
// response into v.
func send(c *api.Client, call string, body any, want int, v any, header ...string) api.Response {
	c.T.Helper()
	method, path, _ := strings.Cut(call, " ")
	var content []byte
	h := http.Header{"Content-Type": {"application/json"}}
	if c.Key != "" {
		h.Set("Authorization", "Bearer "+c.Key)
	}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	if body != nil {
		var err error
		content, err = json.Marshal(body)
		check(c.T, err)
	}
	got := c.Send(method, c.URL+root+path, h, bytes.NewReader(content), int64(len(content)))
	if got.Status != want {
		c.T.Fatalf("%s: got %d, want %d; body %s", call, got.Status, want, got.Body)
	}
	if want >= 400 {
		var refused struct{ Error string }
		if err := json.Unmarshal(got.Body, &refused); err != nil || refused.Error == "" {
			c.T.Errorf("%s: got %s, want an error with a text", call, got.Body)
		}
	}
	if v != nil {
		check(c.T, json.Unmarshal(got.Body, v))
	}
	return got
}

type object = map[string]any

// start creates an upload of a PLY of size bytes.
func start(c *api.Client, size int) session {
	c.T.Helper()
	var s session
	send(c, "POST /splats/uploads", object{"sourceFormat": "ply", "contentLength": size, "title": "A hall"}, 201, &s)
	return s
}

// addresses returns the addresses of parts.
func addresses(c *api.Client, s session, parts ...int) map[int]string {
	c.T.Helper()
	var got struct {
		UploadID string
		PartSize int64
		URLs     []struct {
			PartNumber     int
			URL, ExpiresAt string
		}
	}
	send(c, "POST /splats/uploads/"+s.ID+"/part-upload-urls", object{"parts": parts}, 200, &got)
	if got.UploadID != s.ID || got.PartSize != s.PartSize || len(got.URLs) != len(parts) {
		c.T.Fatalf("got %+v, want the %d parts of upload %s", got, len(parts), s.ID)
	}
	urls := map[int]string{}
	for _, u := range got.URLs {
		urls[u.PartNumber] = u.URL
	}
	return urls
}

// put sends a part without a key, as a client of a signed address does.
func put(c *api.Client, address string, content []byte) api.Response {
	c.T.Helper()
	return c.Send("PUT", address, http.Header{"User-Agent": {"test"}}, bytes.NewReader(content), int64(len(content)))
}

// putWanted sends a part and returns its ETag.
func putWanted(c *api.Client, address string, content []byte) string {
	c.T.Helper()
	got := put(c, address, content)
	etag := got.Header.Get("ETag")
	if got.Status != 200 || etag == "" {
		c.T.Fatalf("PUT: got %d %s with the ETag %q, want 200 with one", got.Status, got.Body, etag)
	}
	return etag
}

func complete(c *api.Client, s session, want int, parts ...part) (splatID string) {
	c.T.Helper()
	var got struct{ UploadID, Status, SplatID, EditURL string }
	response := send(c, "POST /splats/uploads/"+s.ID+"/complete", object{"parts": parts}, want, &got)
	if want >= 400 {
		return ""
	}
	if got.UploadID != s.ID || got.Status != "completed" || got.SplatID == "" || got.EditURL == "" {
		c.T.Errorf("complete: got %+v, want a completed upload with its splat", got)
	}
	if location := response.Header.Get("Location"); location != root+"/splats/"+got.SplatID {
		c.T.Errorf("Location: got %q, want the splat", location)
	}
	return got.SplatID
}

func current(c *api.Client, s session) session {
	c.T.Helper()
	var got session
	send(c, "GET /splats/uploads/"+s.ID, nil, 200, &got)
	return got
}

// ply returns a small PLY with one Gaussian.
func ply() []byte {
	header := "ply\nformat binary_little_endian 1.0\nelement vertex 1\n"
	for _, property := range strings.Fields("x y z f_dc_0 f_dc_1 f_dc_2 opacity scale_0 scale_1 scale_2 rot_0 rot_1 rot_2 rot_3") {
		header += "property float " + property + "\n"
	}
	return append([]byte(header+"end_header\n"), make([]byte, 14*4)...)
}

// random returns the same bytes for the same size.
func random(size int) []byte {
	b := make([]byte, size)
	seed := [32]byte{}
	copy(seed[:], fmt.Sprint(size))
	_, _ = rand.NewChaCha8(seed).Read(b) // it never fails
	return b
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// brokenBody is a body that breaks off after its content.
func brokenBody(content []byte) io.Reader {
	return io.MultiReader(bytes.NewReader(content), brokenReader{})
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the line broke") }
