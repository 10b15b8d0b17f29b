package page_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/auth"
	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/world"
	"portico/model"
	"portico/storage/disk"
)

func TestMain(m *testing.M) { postgres.Main(m) }

const password = "correct horse"

// pageServer is a server with people who look at its pages.
type pageServer struct {
	world.World
	t *testing.T
}

func open(t *testing.T, flags ...string) pageServer {
	t.Helper()
	return pageServer{world.Start(t, flags...), t}
}

func (p pageServer) account(name string) *api.Client {
	p.t.Helper()
	hash, err := auth.NewPasswords().Hash(p.t.Context(), password)
	check(p.t, err)
	return p.NewClient(p.t, model.CreateUser{
		Email: addressOf(name), Name: name, PasswordHash: hash, Plan: model.PlanPro, Quota: 1 << 30,
	})
}

func addressOf(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, name)) + "@example.com"
}

func (p pageServer) space(owner *api.Client, title, description string, privacy model.Privacy) string {
	p.t.Helper()
	var made struct {
		SpaceID string `json:"spaceId"`
	}
	_, err := owner.REST("POST", "/spaces", map[string]any{"title": title, "description": description, "privacy": privacy}, &made)
	check(p.t, err)
	return made.SpaceID
}

func (p pageServer) entity(owner *api.Client, spaceID, kind string, data map[string]any) {
	p.t.Helper()
	_, err := owner.REST("POST", "/spaces/"+spaceID+"/entities", map[string]any{"entity_type": kind, "entity_data": data}, nil)
	check(p.t, err)
}

// visitor is a browser that keeps cookies and follows no redirect.
type visitor struct {
	p      pageServer
	client *http.Client
}

// stranger returns a visitor who is not signed in.
func (p pageServer) stranger() visitor {
	p.t.Helper()
	jar, err := cookiejar.New(nil)
	check(p.t, err)
	return visitor{p, &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// signedIn returns a visitor who is signed in to the account of this name.
func (p pageServer) signedIn(name string) visitor {
	p.t.Helper()
	b := p.stranger()
	got := b.post("/login", url.Values{"email": {addressOf(name)}, "password": {password}})
	if got.status != http.StatusSeeOther {
		p.t.Fatalf("sign in as %s: got %d, want a redirect\n%s", name, got.status, got.body)
	}
	return b
}

// response is what a visitor got.
type response struct {
	status int
	header http.Header
	body   string
}

// get asks for a page with headers in pairs of a name and a value.
func (b visitor) get(path string, headers ...string) response {
	b.p.t.Helper()
	return b.send(http.MethodGet, path, "", headers...)
}

// post sends a form the way browsers do from one of our pages.
func (b visitor) post(path string, form url.Values) response {
	b.p.t.Helper()
	return b.send(http.MethodPost, path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded",
		"Origin", b.p.BaseURL(), "Sec-Fetch-Site", "same-origin")
}

// send sends a request. It accepts HTML as a browser does.
func (b visitor) send(method, path, body string, headers ...string) response {
	b.p.t.Helper()
	r, err := http.NewRequestWithContext(b.p.t.Context(), method, b.p.BaseURL()+path, strings.NewReader(body))
	check(b.p.t, err)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got, err := b.client.Do(r)
	check(b.p.t, err)
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	check(b.p.t, err)
	return response{got.StatusCode, got.Header, string(read)}
}

// wantStatus compares the status and ends the test where it differs.
func (b visitor) wantStatus(got response, want int) response {
	b.p.t.Helper()
	if got.status != want {
		b.p.t.Fatalf("status: got %d, want %d\n%s", got.status, want, got.body)
	}
	return got
}

// wantText reports texts that a page does not have.
func wantText(t *testing.T, got response, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got.body, want) {
			t.Errorf("page: got no %q in\n%s", want, got.body)
		}
	}
}

// decode reads a response in JSON.
func decode(t *testing.T, got response, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(got.body), v); err != nil {
		t.Fatalf("read %s: %v", got.body, err)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// capture uploads a file that its owner calls by this name, and gives it facts and a poster
// in two sizes, as a worker would. It returns the resource key.
func (p pageServer) capture(owner *api.Client, name string, facts model.FileFacts, poster []byte) string {
	p.t.Helper()
	var confirmed struct {
		ResourceKey string `json:"resource_key"`
	}
	owner.Call("POST", "/v1/files/upload-complete", api.Completion(owner.Put(name, api.Text(contentOf(p.t, name))))).Want(200, &confirmed)
	file, err := p.DB.Files().FileOf(p.t.Context(), owner.ID, confirmed.ResourceKey)
	check(p.t, err)
	check(p.t, p.DB.Files().SetFacts(p.t.Context(), file.ResourceKey, &facts))
	if poster == nil {
		return file.ResourceKey
	}
	store, err := disk.Open(disk.Options{
		Folder: filepath.Join(p.Config.DataDir, "files"), BaseURL: p.BaseURL(), FilesURL: p.FilesURL(),
		Secret: []byte("any secret will do here"), UploadLifetime: time.Minute,
	})
	check(p.t, err)
	whole, err := jpeg.Decode(bytes.NewReader(poster))
	check(p.t, err)
	posters := &model.Posters{}
	sizes := map[string]image.Point{"poster.jpg": whole.Bounds().Size(), "small.jpg": whole.Bounds().Size().Div(2)}
	sizes["turntable.jpg"] = image.Pt(64, 40*model.TurntableFrames)
	for name, size := range sizes {
		scaled := image.NewRGBA(image.Rectangle{Max: size})
		for i := range size.X * size.Y {
			x, y := i%size.X, i/size.X
			scaled.Set(x, y, whole.At(x*whole.Bounds().Dx()/size.X, y*whole.Bounds().Dy()/size.Y))
		}
		var b bytes.Buffer
		check(p.t, jpeg.Encode(&b, scaled, nil))
		stored := model.StoredPoster{Key: file.DerivedRoot() + name, Width: size.X, Height: size.Y, Bytes: int64(b.Len())}
		_, err = store.Put(p.t.Context(), file.DerivedStorageRoot()+name, &b)
		check(p.t, err)
		if name == "turntable.jpg" {
			stored.Height /= model.TurntableFrames
			posters.Turntable = &model.StoredTurntable{StoredPoster: stored, Frames: model.TurntableFrames}
			continue
		}
		posters.Sizes = append(posters.Sizes, stored)
	}
	// The first is the one of pages that ask for no size.
	slices.SortFunc(posters.Sizes, func(a, b model.StoredPoster) int { return b.Width - a.Width })
	_, err = p.DB.Files().SetPosters(p.t.Context(), file, posters)
	check(p.t, errors.Join(err, store.Close()))
	return file.ResourceKey
}

// show adds an entity that shows the owner's file.
func (p pageServer) show(owner *api.Client, spaceID, resourceKey string) {
	p.t.Helper()
	_, err := owner.REST("POST", "/spaces/"+spaceID+"/entities", map[string]any{"resource_key": resourceKey, "entity_data": map[string]any{}}, nil)
	check(p.t, err)
}

// picture returns a JPEG of two colours.
func picture(t *testing.T, top, bottom color.Color) []byte {
	t.Helper()
	drawn := image.NewRGBA(image.Rect(0, 0, 640, 400))
	draw.Draw(drawn, image.Rect(0, 0, 640, 260), image.NewUniform(top), image.Point{}, draw.Src)
	draw.Draw(drawn, image.Rect(0, 260, 640, 400), image.NewUniform(bottom), image.Point{}, draw.Src)
	var b bytes.Buffer
	check(t, jpeg.Encode(&b, drawn, nil))
	return b.Bytes()
}
