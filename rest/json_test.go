package rest

import (
	"fmt"
	"strings"
	"testing"

	"portico/graph/view"
	"portico/model"
)

// filled returns an object whose text makes it about so many bytes.
func filled(bytes int) string { return `{"text":"` + strings.Repeat("x", bytes) + `"}` }

func TestJSON_counts_as_storage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	used := func() int64 {
		return read[struct{ Storage view.Storage }](w.call(w.bob, "GET", "/v1/user/me", ""), 200).Storage.Used
	}
	id := w.space(w.bob, `{}`)
	before := used()
	const full = "Storage quota exceeded" // to the letter (API section 7)
	for i := range 3 {
		path := fmt.Sprintf("/v1/spaces/%s/entities/e%d", id, i)
		w.call(w.bob, "POST", "/v1/spaces/"+id+"/entities", fmt.Sprintf(`{"entity_id":"e%d"}`, i)).status2xx()
		got := w.call(w.bob, "PUT", path, `{"entity_data":`+filled(4000)+`}`)
		if used() > testQuota {
			t.Fatalf("used: got %d, want at most the quota of %d", used(), testQuota)
		}
		if got.status == 507 {
			got.refused(507, full)
			w.call(w.bob, "POST", "/v1/spaces/"+id+"/entities", `{"entity_data":`+filled(4000)+`}`).refused(507, full)
			w.call(w.bob, "PUT", "/v1/spaces/"+id, filled(4000)).refused(507, full)
			w.call(w.bob, "DELETE", "/v1/spaces/"+id+"/entities/e0", "").status2xx()
			w.call(w.bob, "PUT", path, `{"entity_data":`+filled(4000)+`}`).status2xx()
			w.call(w.bob, "DELETE", "/v1/spaces/"+id, "").status2xx()
			if got := used(); got != 0 {
				t.Errorf("used by nothing: got %d bytes, want 0", got)
			}
			return
		}
		if got := used(); got < before+4000*int64(i+1) {
			t.Errorf("used: got %d, want at least %d", got, before+4000*int64(i+1))
		}
	}
	t.Errorf("three entities of 4000 bytes in a quota of %d: got none refused", testQuota)
}

func TestJSON_has_a_maximum(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, func(o *Options) { o.MaxBody = 4 << 20 })
	w.makeRoom()
	id := w.space(w.bob, `{}`)
	w.call(w.bob, "POST", "/v1/spaces/"+id+"/entities", `{"entity_id":"e","entity_data":`+filled(1<<20)+`}`).
		refused(413, "entity_data and entity_state have more than 1048576 bytes together")
	w.call(w.bob, "POST", "/v1/spaces/"+id+"/entities", `{"entity_id":"e","entity_data":`+filled(1_000_000)+`}`).status2xx()
	w.call(w.bob, "PUT", "/v1/spaces/"+id+"/entities/e", `{"entity_data":{"more":`+filled(100_000)+`}}`).
		refused(413, "entity_data and entity_state have more than 1048576 bytes together")
	w.call(w.bob, "PUT", "/v1/spaces/"+id, filled(1<<20)).
		refused(413, "The fields kept with a space have more than 1048576 bytes")
}

// A page ends before the maximum size of a response, and its cursor continues there.
func TestPage_is_bounded_by_its_bytes(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, func(o *Options) { o.MaxBody = 4 << 20 })
	w.makeRoom()
	id := w.space(w.bob, `{}`)
	const count = 20
	for range count {
		w.call(w.bob, "POST", "/v1/spaces/"+id+"/entities", `{"entity_data":`+filled(1_000_000)+`}`).status2xx()
	}
	found, cursor := 0, ""
	for {
		got := w.call(w.bob, "GET", "/v1/spaces/"+id+"/entities?limit=200"+cursor, "")
		if len(got.body) > model.MaxResponse {
			t.Errorf("page: got %d bytes, want at most %d", len(got.body), model.MaxResponse)
		}
		page := read[view.Page](got, 200)
		if found += page.Count; !page.HasMore || page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	if found != count {
		t.Errorf("entities of all pages: got %d, want %d", found, count)
	}
}
