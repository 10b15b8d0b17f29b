package rest

import (
	"archive/zip"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"portico/model"
)

const emptied = `{"deletes":["space/entities/chair.json"]}`

// A dry run that is not recognised changes the space.
func TestCheckQuery_reads_switches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.makeRoom()
	id := w.space(w.alice, `{}`)
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/entities", `{"entity_id":"chair"}`).status2xx()
	for _, on := range []string{"?dryRun", "?dryRun=", "?dryRun=1", "?dryRun=true", "?lock=x&dryRun"} {
		if got := w.change(w.alice, id, on, emptied); got.status != 200 || !strings.Contains(compact(got.body), `"dryRun":true`) {
			t.Errorf("%s: got %d %s, want a dry run", on, got.status, got.body)
		}
	}
	for _, bad := range []string{"no", "off", "False", "TRUE", "2", "yes"} {
		w.change(w.alice, id, "?dryRun="+bad, emptied).refused(400, "dryRun must be 1, true, 0 or false")
		w.call(w.alice, "POST", "/v1/spaces/"+id+"/apply?force="+bad, archived(t, nil)).refused(400, "force must be 1, true, 0 or false")
		w.call(w.alice, "DELETE", "/v1/spaces/"+id+"/lock?force="+bad, "").refused(400, "force must be 1, true, 0 or false")
	}
	w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities/chair", "").status2xx()
	for _, off := range []string{"?dryRun=0", "?dryRun=false", ""} {
		if got := w.change(w.alice, id, off, emptied); got.status != 200 || strings.Contains(got.body, "dryRun") {
			t.Errorf("%q: got %d %s, want no dry run", off, got.status, got.body)
		}
	}
	w.call(w.alice, "GET", "/v1/spaces/"+id+"/entities/chair", "").refused(404, "Entity not found")
}

func TestCheckQuery_refuses_a_malformed_query(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/entities", `{"entity_id":"chair"}`).status2xx()
	w.call(w.alice, "POST", "/v1/spaces/"+id+"/lock", `{"name":"Alice"}`).status2xx()
	for _, request := range []struct{ method, path, body string }{
		{"POST", "/entities", `{"entity_id":"table"}`}, {"PUT", "/entities/chair", `{"entity_data":{}}`}, {"DELETE", "/entities/chair", ""},
		{"POST", "/changeset", emptied}, {"POST", "/apply", archived(t, nil)}, {"POST", "/versions/1/restore", ""}, {"DELETE", "/lock", ""},
	} {
		got := w.call(w.alice, request.method, "/v1/spaces/"+id+request.path+"?lock=a%zz", request.body)
		got.refused(400, "The query of the address is not well-formed")
	}
}

// A handler that counts the request itself reads its switches in the same way.
func TestLimited_checks_the_query_of_a_handler_that_counts(t *testing.T) {
	t.Parallel()
	isHandled := false
	handle := new(api).limited(endpoint{
		countsInHandler: true, switches: []string{"force"},
		handle: func(http.ResponseWriter, *http.Request) error { isHandled = true; return nil },
	})
	err := handle(httptest.NewRecorder(), httptest.NewRequest("PUT", "/v1/spaces/a?force=no", nil))
	if got, want := model.CodeOf(err), model.CodeInvalid; got != want || isHandled {
		t.Errorf("got %v, handled: %t, want %s and not handled", err, isHandled, want)
	}
}

// The assets of a space may be gigabytes, which a client that leaves them out does not want.
func TestPull_reads_the_switch_of_assets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	w.change(w.alice, id, "", `{'puts':[{'path':'space/assets/hall.png','content':'x'}]}`).status2xx()
	pull := func(query string) response { return w.call(w.alice, "POST", "/v1/spaces/"+id+"/pull"+query, "") }
	for query, want := range map[string]bool{
		"": true, "?assets": true, "?assets=1": true, "?assets=true": true, "?assets=0": false, "?assets=false": false,
	} {
		got := pull(query)
		archive, err := zip.NewReader(strings.NewReader(got.body), int64(len(got.body)))
		check(t, err)
		_, err = archive.Open("space/assets/hall.png")
		if included := err == nil; included != want {
			t.Errorf("%q: got an asset %t, want %t", query, included, want)
		}
	}
	pull("?assets=no").refused(400, "assets must be 1, true, 0 or false")
	pull("?assets=0&%zz").refused(400, "The query of the address is not well-formed")
}
