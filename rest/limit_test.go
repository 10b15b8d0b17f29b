package rest

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/auth"
	"portico/limit"
	"portico/model"
)

// limitedWorld is a world with limits whose windows do not end.
func limitedWorld(t *testing.T) *world {
	t.Helper()
	start := time.Now()
	return limitedAt(t, func() time.Time { return start })
}

func limitedAt(t *testing.T, now func() time.Time) *world {
	t.Helper()
	loopback := netip.MustParsePrefix("127.0.0.1/32")
	limiter, err := limit.New(limit.Options{Now: now, TrustedProxies: []netip.Prefix{loopback}})
	check(t, err)
	return serveWorld(t, func(o *Options) { o.Limiter = limiter })
}

// pass asserts that n such requests are not refused for their number.
func (w *world) pass(n int, who account, method, path, body string) {
	w.t.Helper()
	for i := range n {
		if got := w.call(who, method, path, body); got.status == 429 || got.status == 401 {
			w.t.Fatalf("%s %s, request %d: got %d %s, want it to pass", method, path, i+1, got.status, got.body)
		}
	}
}

// limited asserts that a response is the refusal, to the letter.
func (r response) limited() {
	r.t.Helper()
	r.want(429, `{'status':'error','message':'Rate limit exceeded','retry_after_seconds':60}`)
	if got, want := r.header.Get("Retry-After"), "60"; got != want {
		r.t.Errorf("Retry-After: got %q, want %q", got, want)
	}
}

func TestLimit_of_uploads_is_exact(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	const body = `{"file_name":"a.ply","file_size":1,"content_type":"model/ply"}`
	for i := range 20 {
		got := w.call(w.alice, "POST", []string{"/v1", "/api/v1"}[i%2]+"/files/upload", body)
		if got.status != 200 {
			t.Fatalf("upload %d: got %d %s, want 200", i+1, got.status, got.body)
		}
	}
	for _, path := range []string{"/v1/files/upload", "/api/v1/files/upload", "//v1//files/upload/"} {
		got := w.call(w.alice, "POST", path, body)
		got.limited()
		if got, want := got.header.Get("Access-Control-Expose-Headers"), "Retry-After"; !strings.Contains(got, want) {
			t.Errorf("exposed headers: got %q, want %s among them", got, want)
		}
	}
	w.pass(1, w.alice, "POST", "/v1/files/upload-complete", body)
	w.pass(20, w.bob, "POST", "/v1/files/upload", body)
}

// TestLimits_of_the_specification checks each limit of API section 8. Whether a request can be
// carried out does not matter for its counting.
func TestLimits_of_the_specification(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		limit int
		calls []string // in turn; all count together
	}{
		{"all", 300, []string{"GET /user/me", "GET /jobs", "GET /spaces", "GET /files", "PUT /spaces/a", "GET /nothing", "PATCH /files/upload",
			"GET /avatars", "POST /avatars/splat", "DELETE /avatars/a"}},
		{"upload", 20, []string{"POST /files/upload"}},
		{"upload-complete", 20, []string{"POST /files/upload-complete"}},
		{"job", 120, []string{"GET /jobs/a", "GET /jobs/b", "HEAD /jobs/c"}},
		{"create-space", 60, []string{"POST /user/create-space", "POST /spaces"}},
		{"update-privacy", 60, []string{"POST /spaces/update-privacy", `PUT /spaces/a {"privacy":"Open"}`, `PUT /spaces/b {"roomPrivacy":"nothing"}`}},
		{"entities", 300, []string{"GET /spaces/a/entities", "POST /spaces/b/entities", "GET /spaces/a/entities/b",
			"PUT /spaces/a/entities/b", "DELETE /spaces/a/entities/b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := limitedWorld(t)
			for i := range c.limit {
				method, path, body := parseCall(c.calls[i%len(c.calls)])
				w.pass(1, w.alice, method, []string{"/v1", "/api/v1"}[i%2]+path, body)
			}
			for _, call := range c.calls {
				method, path, body := parseCall(call)
				if method != "HEAD" {
					w.call(w.alice, method, "/v1"+path, body).limited()
				}
			}
			if c.limit < 300 { // the others are there still
				w.pass(300-c.limit, w.alice, "GET", "/v1/user/me", "")
			}
			w.call(w.alice, "GET", "/v1/user/me", "").limited()
			w.pass(1, w.bob, "GET", "/v1/user/me", "")
		})
	}
}

// parseCall reads a method, a path and perhaps a body.
func parseCall(call string) (method, path, body string) {
	method, path, _ = strings.Cut(call, " ")
	path, body, _ = strings.Cut(path, " ")
	return method, path, body
}

// A change of a space without its privacy counts only in the limit of all requests.
func TestLimit_of_privacy_leaves_other_changes_alone(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	w.pass(61, w.alice, "PUT", "/v1/spaces/a", `{"title":"x"}`)
	w.pass(60, w.alice, "PUT", "/v1/spaces/a", `{"privacy":"Closed"}`)
	w.call(w.alice, "PUT", "/v1/spaces/a", `{"privacy":"Closed"}`).limited()
	w.pass(1, w.alice, "PUT", "/v1/spaces/a", `{"title":"x"}`)
}

// A new key of the same account finds the windows of the old one.
func TestLimit_counts_for_the_account(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	w.pass(20, w.alice, "POST", "/v1/files/upload", "")
	keys, err := auth.NewKeys(w.db, []byte("0123456789abcdef"))
	check(t, err)
	rotated := w.alice
	rotated.key, err = keys.Generate(t.Context(), &model.User{ID: w.alice.id})
	check(t, err)
	w.call(rotated, "POST", "/v1/files/upload", "").limited()
}

func TestLimit_comes_before_the_body(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	w.pass(20, w.alice, "POST", "/v1/files/upload", "{")
	w.call(w.alice, "POST", "/v1/files/upload", "{").limited()
	w.call(w.alice, "POST", "/v1/files/upload", strings.Repeat(" ", testMaxBody+1)).limited()
}

func TestLimit_ends_with_its_window(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Now()
	w := limitedAt(t, func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	})
	advance := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(d)
	}
	w.pass(1, w.alice, "POST", "/v1/files/upload", "")
	advance(17500 * time.Millisecond)
	w.pass(19, w.alice, "POST", "/v1/files/upload", "")
	got := w.call(w.alice, "POST", "/v1/files/upload", "")
	got.want(429, `{'status':'error','message':'Rate limit exceeded','retry_after_seconds':43}`)
	if got, want := got.header.Get("Retry-After"), "43"; got != want {
		t.Errorf("Retry-After: got %q, want %q", got, want)
	}
	advance(43 * time.Second)
	w.pass(20, w.alice, "POST", "/v1/files/upload", "")
	w.call(w.alice, "POST", "/v1/files/upload", "").limited()
}

// from sends a request with the key as if a client at the address had sent it.
func (w *world) from(address, method, key string) response {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.base+"/v1/nothing", nil)
	check(w.t, err)
	request.Header.Set("X-Forwarded-For", address)
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	return w.send(request)
}

func TestLimit_counts_for_the_address_without_a_valid_key(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	keys := []string{"", "wrong", "portico_guess"}
	for i := range 300 {
		w.from("198.51.100.1", "GET", keys[i%3]).refused(401, "Invalid or expired API key")
		w.from("198.51.100.1", "OPTIONS", "").want(204, "") // preflights are free
	}
	for _, key := range keys {
		got := w.from("198.51.100.1", "GET", key)
		got.limited()
		if got, want := got.header.Get("WWW-Authenticate"), ""; got != want {
			t.Errorf("WWW-Authenticate: got %q, want none", got)
		}
	}
	w.from("198.51.100.1", "OPTIONS", "").want(204, "")
	w.from("198.51.100.2", "GET", "wrong").refused(401, "Invalid or expired API key")
	w.from("198.51.100.1", "GET", w.alice.key).refused(404, "Endpoint not found")
}

func TestLimit_does_not_count_a_failure_of_ours_for_the_address(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	w.exec("ALTER TABLE api_keys RENAME TO gone")
	for range 301 {
		w.from("198.51.100.1", "GET", w.alice.key).refused(500, "Internal server error")
	}
}

func TestLimit_is_exact_under_concurrency(t *testing.T) {
	t.Parallel()
	w := limitedWorld(t)
	var all sync.WaitGroup
	statuses := make([]int, 100)
	for i := range statuses {
		all.Go(func() { statuses[i] = w.call(w.alice, "POST", "/v1/files/upload", "").status })
	}
	all.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	if count[400] != 20 || count[429] != 80 {
		t.Errorf("100 uploads without a body: got %v, want 20 times 400 and 80 times 429", count)
	}
}

func TestLimit_is_off_without_a_limiter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pass(25, w.alice, "POST", "/v1/files/upload", "")
}
