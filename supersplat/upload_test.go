package supersplat_test

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"portico/internal/testkit/api"
	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
	"portico/internal/testkit/world"
	"portico/model"
)

// Parts arrive in any order, and are listed in any order. A part that is sent again replaces the
// earlier one, whose ETag is refused then.
func TestUpload_of_parts_in_any_order(t *testing.T) {
	t.Parallel()
	c := newClient(t, world.Start(t), "ada", model.PlanPro)
	content := random(2*partSize - 1)
	s := start(c, len(content))
	urls := addresses(c, s, 2, 1)
	second := putWanted(c, urls[2], content[s.PartSize:])
	complete(c, s, 400, part{PartNumber: 2, ETag: second})
	complete(c, s, 409, part{PartNumber: 1, ETag: second}, part{PartNumber: 2, ETag: second})
	stale := putWanted(c, urls[1], make([]byte, s.PartSize))
	first := putWanted(c, urls[1], content[:s.PartSize])
	if stale == first {
		t.Error("ETag: got the same for other bytes")
	}
	if again := putWanted(c, urls[1], content[:s.PartSize]); again != first {
		t.Errorf("ETag of the same bytes: got %s, want %s", again, first)
	}
	complete(c, s, 409, part{PartNumber: 1, ETag: stale}, part{PartNumber: 2, ETag: second})
	for _, parts := range [][]part{
		nil, {{PartNumber: 1, ETag: first}, {PartNumber: 1, ETag: first}}, {{PartNumber: 0, ETag: first}, {PartNumber: 2, ETag: second}},
		{{PartNumber: 1, ETag: first}, {PartNumber: 3, ETag: second}},
	} {
		complete(c, s, 400, parts...)
	}
	id := complete(c, s, 201, part{PartNumber: 2, ETag: strings.Trim(second, `"`)}, part{PartNumber: 1, ETag: first})
	checkShown(t, c, id, content)
	if got := put(c, urls[1], content[:s.PartSize]); got.Status != 409 {
		t.Errorf("a part of a completed upload: got %d, want 409", got.Status)
	}
	send(c, "POST /splats/uploads/"+s.ID+"/part-upload-urls", object{"parts": []int{1}}, 409, nil)
}

// A part that breaks off, is too short or too long, or comes to an address that is not its own, is
// not stored.
func TestPart_that_is_refused(t *testing.T) {
	t.Parallel()
	c := newClient(t, world.Start(t), "ada", model.PlanPro)
	content := ply()
	s := start(c, len(content))
	address := addresses(c, s, 1)[1]
	chunked := func(content []byte) api.Response {
		return c.Send("PUT", address, http.Header{}, struct{ *bytes.Reader }{bytes.NewReader(content)}, -1)
	}
	otherPart := strings.Replace(address, "/1?", "/2?", 1)
	later := strings.Replace(address, "expires=", "expires=1", 1)
	unsigned, _, _ := strings.Cut(address, "&")
	for name, row := range map[string]struct {
		got  api.Response
		want int
	}{
		"too short":                  {put(c, address, content[1:]), 400},
		"too long":                   {put(c, address, append([]byte{0}, content...)), 400},
		"too short without a length": {chunked(content[1:]), 400},
		"too long without a length":  {chunked(append([]byte{0}, content...)), 400},
		"another part":               {put(c, otherPart, content), 403},
		"another time":               {put(c, later, content), 403},
		"without a signature":        {put(c, unsigned, content), 403},
		"another upload":             {put(c, strings.Replace(address, s.ID, "x"+s.ID[1:], 1), content), 403},
		"another method":             {c.Send("GET", address, http.Header{}, http.NoBody, 0), 405},
	} {
		if row.got.Status != row.want {
			t.Errorf("%s: got %d %s, want %d", name, row.got.Status, row.got.Body, row.want)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, brokenBody(content[:20]))
	check(t, err)
	if response, err := http.DefaultClient.Do(request); err == nil {
		_ = response.Body.Close()
		t.Errorf("a body that breaks off: got %d, want an error", response.StatusCode)
	}
	if got := current(c, s); got.Status != "created" || len(got.UploadedParts) != 0 {
		t.Errorf("got %+v, want no part", got)
	}
	api.Eventually(t, "the part can be sent after the one that broke off", func() bool { return put(c, address, content).Status == 200 })
}

// Nobody else sees, continues or completes an upload.
func TestUpload_of_another_account(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	ada, bob := newClient(t, w, "ada", model.PlanFree), newClient(t, w, "bob", model.PlanFree)
	stranger := &api.Client{T: t, URL: ada.URL}
	revoked := &api.Client{T: t, URL: ada.URL, Key: "portico_not_a_key"}
	content := ply()
	s := start(ada, len(content))
	etag := putWanted(ada, addresses(ada, s, 1)[1], content)
	id := complete(ada, s, 201, part{PartNumber: 1, ETag: etag})
	for _, call := range []struct {
		method, path string
		body         any
		bob          int
	}{
		{"GET", "/me", nil, 200},
		{"GET", "/splats", nil, 200},
		{"GET", "/splats/" + id, nil, 403},
		{"GET", "/splats/nothing", nil, 404},
		{"GET", "/splats/uploads/" + s.ID, nil, 404},
		{"GET", "/splats/uploads/%00", nil, 404},
		{"POST", "/splats/uploads/" + s.ID + "/part-upload-urls", object{"parts": []int{1}}, 404},
		{"POST", "/splats/uploads/" + s.ID + "/complete", object{"parts": []part{{PartNumber: 1, ETag: etag}}}, 404},
		{"POST", "/splats/uploads", object{"sourceFormat": "ply", "contentLength": 1}, 201},
		{"GET", "/nothing", nil, 404},
		{"DELETE", "/splats/" + id, nil, 405},
	} {
		send(bob, call.method+" "+call.path, call.body, call.bob, nil)
		for _, c := range []*api.Client{stranger, revoked} {
			got := send(c, call.method+" "+call.path, call.body, 401, nil)
			if got.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s without a key: got no WWW-Authenticate", call.method, call.path)
			}
		}
	}
}

// A revoked key ends its uploads, with the addresses of their parts.
func TestUpload_ends_with_its_key(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada", model.PlanFree)
	body := object{"sourceFormat": "ply", "contentLength": len(ply())}
	var s session
	send(c, "POST /splats/uploads", body, 201, &s, "Idempotency-Key", "again")
	address := addresses(c, s, 1)[1]
	check(t, w.DB.Keys().RevokeKeyOf(t.Context(), c.ID))
	if got := put(c, address, ply()); got.Status != 409 {
		t.Errorf("a part after the key was revoked: got %d, want 409", got.Status)
	}
	send(c, "GET /splats/uploads/"+s.ID, nil, 401, nil)
	var err error
	c.Key, err = w.Keys.EnsureKey(t.Context(), c.ID)
	check(t, err)
	if got := current(c, s); got.Status != "canceled" {
		t.Errorf("status: got %s, want canceled", got.Status)
	}
	complete(c, s, 409, part{PartNumber: 1, ETag: "x"})
	var next session
	send(c, "POST /splats/uploads", body, 201, &next, "Idempotency-Key", "again")
	if next.ID == s.ID {
		t.Error("the idempotency key returned the canceled upload, want another one")
	}
}

// What no upload can be is refused before anything is stored, and a file over the quota too.
func TestUpload_that_is_refused(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	c := newClient(t, w, "ada", model.PlanFree)
	for name, row := range map[string]struct {
		body any
		want int
	}{
		"no body":                 {nil, 400},
		"a list":                  {[]int{1}, 400},
		"no format":               {object{"contentLength": 10}, 400},
		"an unknown format":       {object{"sourceFormat": "splat", "contentLength": 10}, 400},
		"no length":               {object{"sourceFormat": "ply"}, 400},
		"a length of null":        {object{"sourceFormat": "ply", "contentLength": nil}, 400},
		"a negative length":       {object{"sourceFormat": "ply", "contentLength": -1}, 400},
		"a title of lines":        {object{"sourceFormat": "ply", "contentLength": 10, "title": "a\nb"}, 400},
		"a title that is no text": {object{"sourceFormat": "ply", "contentLength": 10, "title": 1}, 400},
		"seven tools":             {object{"sourceFormat": "ply", "contentLength": 10, "softwareTools": strings.Split("abcdefg", "")}, 400},
		"over the quota":          {object{"sourceFormat": "ply", "contentLength": 300_000_000}, 413},
		"over the maximum":        {object{"sourceFormat": "ply", "contentLength": 1 << 60}, 413},
	} {
		got := send(c, "POST /splats/uploads", row.body, row.want, nil)
		if got.Status != row.want {
			t.Errorf("%s: got %d, want %d", name, got.Status, row.want)
		}
	}
	if used := c.Used(); used != 0 {
		t.Errorf("used: got %d bytes, want none", used)
	}
	var s session
	send(c, "POST /splats/uploads", object{
		"sourceFormat": "sog", "contentLength": 10, "uploadClient": object{"name": "video-splat", "version": 3}, "unknown": true,
	}, 201, &s)
	if s.Title != "Untitled space" || s.PartSize < 10 {
		t.Errorf("unknown fields and no title: got %+v, want an upload", s)
	}
	send(c, "POST /splats/uploads", object{"sourceFormat": "ply", "contentLength": 10}, 400, nil, "Idempotency-Key", strings.Repeat("k", 201))
	for _, parts := range []any{nil, []int{}, []int{0}, []int{2}, make([]int, 101), "1", []string{"1"}} {
		send(c, "POST /splats/uploads/"+s.ID+"/part-upload-urls", object{"parts": parts}, 400, nil)
	}
}

// Of several requests with one idempotency key, at the same time, one creates the upload. A key means
// one file, and its owner's only.
func TestUpload_with_an_idempotency_key(t *testing.T) {
	t.Parallel()
	w := world.Start(t)
	ada, bob := newClient(t, w, "ada", model.PlanFree), newClient(t, w, "bob", model.PlanFree)
	body := object{"sourceFormat": "ply", "contentLength": len(ply())}
	header := http.Header{"Authorization": {"Bearer " + ada.Key}, "Idempotency-Key": {"one"}}
	statuses := make(chan int, 8)
	var requests sync.WaitGroup
	for range cap(statuses) {
		requests.Go(func() {
			content := `{"sourceFormat":"ply","contentLength":` + strconv.Itoa(len(ply())) + `}`
			statuses <- ada.Send("POST", ada.URL+root+"/splats/uploads", header, strings.NewReader(content), int64(len(content))).Status
		})
	}
	requests.Wait()
	close(statuses)
	created := 0
	for status := range statuses {
		if status == 201 {
			created++
		} else if status != 200 {
			t.Errorf("got %d, want 200 or 201", status)
		}
	}
	if created != 1 {
		t.Errorf("created: got %d uploads, want 1", created)
	}
	var mine, others session
	send(ada, "POST /splats/uploads", body, 200, &mine, "Idempotency-Key", "one")
	send(bob, "POST /splats/uploads", body, 201, &others, "Idempotency-Key", "one")
	if mine.ID == others.ID {
		t.Error("another account got the same upload")
	}
	send(ada, "POST /splats/uploads", object{"sourceFormat": "ply", "contentLength": 1}, 400, nil, "Idempotency-Key", "one")
	id := complete(ada, mine, 201, part{PartNumber: 1, ETag: putWanted(ada, addresses(ada, mine, 1)[1], ply())})
	var done session
	send(ada, "POST /splats/uploads", body, 200, &done, "Idempotency-Key", "one")
	if done.Status != "completed" || done.SplatID != id {
		t.Errorf("after completion: got %+v, want splat %s", done, id)
	}
	_, err := ada.REST("DELETE", "/spaces/"+id, nil, nil)
	check(t, err)
	send(ada, "GET /splats/"+id, nil, 404, nil)
	complete(ada, mine, 200, part{PartNumber: 1, ETag: "x"}) // says what was done, and brings nothing back
	send(ada, "GET /splats/"+id, nil, 404, nil)
	send(ada, "POST /splats/uploads", body, 201, &done, "Idempotency-Key", "one")
}

// An upload is continued after the server has restarted, with the parts that it has.
func TestUpload_continues_after_a_restart(t *testing.T) {
	t.Parallel()
	flags := []string{"--data-dir=" + t.TempDir(), "--database-url=" + postgres.URL(t, testdb.Migrate), "--secret=" + strings.Repeat("s", 32)}
	content := random(partSize + 1000)
	var c api.Client
	var s session
	t.Run("before", func(t *testing.T) {
		c = *newClient(t, world.Start(t, flags...), "ada", model.PlanPro)
		s = start(&c, len(content))
		putWanted(&c, addresses(&c, s, 1)[1], content[:s.PartSize])
	})
	t.Run("after", func(t *testing.T) {
		w := world.Start(t, flags...)
		c.T, c.URL = t, w.BaseURL()
		got := current(&c, s)
		if got.Status != "uploading" || len(got.UploadedParts) != 1 || got.UploadedParts[0].PartNumber != 1 {
			t.Fatalf("got %+v, want part 1", got)
		}
		last := putWanted(&c, addresses(&c, s, 2)[2], content[s.PartSize:])
		id := complete(&c, s, 201, got.UploadedParts[0], part{PartNumber: 2, ETag: last})
		checkShown(t, &c, id, content)
	})
}

// The door counts requests in the scopes of REST, and lets pages of other sites read its headers.
func TestDoor_has_the_limits_and_the_CORS_of_REST(t *testing.T) {
	t.Parallel()
	c := newClient(t, world.Start(t, "--rate-limits=upload=2"), "ada", model.PlanFree)
	body := object{"sourceFormat": "ply", "contentLength": 1}
	for range 2 {
		send(c, "POST /splats/uploads", body, 201, nil)
	}
	if got := send(c, "POST /splats/uploads", body, 429, nil); got.Header.Get("Retry-After") == "" {
		t.Error("429: got no Retry-After")
	}
	_, err := c.REST("POST", "/files/upload", object{"file_name": "a.ply", "file_size": 1, "content_type": "a/b"}, nil)
	if err == nil {
		t.Error("REST after the limit of uploads: got no refusal")
	}
	preflight := c.Send("OPTIONS", c.URL+root+"/splats/uploads", http.Header{"Origin": {"https://a.example"}}, http.NoBody, 0)
	if allowed := preflight.Header.Get("Access-Control-Allow-Headers"); preflight.Status != 204 || !strings.Contains(allowed, "idempotency-key") {
		t.Errorf("preflight: got %d, %q, want 204 with idempotency-key", preflight.Status, allowed)
	}
	got := send(c, "GET //me/", nil, 200, nil)
	if exposed := got.Header.Get("Access-Control-Expose-Headers"); !strings.Contains(exposed, "ETag") || got.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("exposed headers: got %q, want ETag among them", exposed)
	}
}
