package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"portico/graph"
	"portico/graph/view"
	"portico/model"
)

// world.send checks each result against the schema of its tool, as clients do.
func TestCompareVersions_returns_null_for_what_did_not_exist(t *testing.T) {
	t.Parallel()
	w := serveCore(t, func(o *graph.Options) {
		o.Settings.History = model.HistoryLimits{Versions: 10, Age: time.Hour}
	}, func(*Options) {})
	id := w.space(w.alice, `{}`)
	for _, step := range []struct{ change, want string }{
		{`"puts":[{"path":"space/entities/a.json","content":"{\"id\":\"a\",\"type\":\"Simple\",\"data\":{\"n\":1}}"}]`,
			`{"target":"a","before_type":null,"before":null,"after_type":"Simple","after":{"n":1}}`},
		{`"deletes":["space/entities/a.json"]`,
			`{"target":"a","before_type":"Simple","before":{"n":1},"after_type":null,"after":null}`},
	} {
		equal(t, "applied", len(read[view.Changes](w.call(w.alice, "apply_changes", `{"spaceId":"`+id+`",`+step.change+`}`)).Applied), 1)
		newest := read[view.VersionList](w.call(w.alice, "list_versions", `{"spaceId":"`+id+`"}`)).Versions[0].Number
		_, data := w.call(w.alice, "compare_versions", fmt.Sprintf(`{"spaceId":%q,"number":%d.0}`, id, newest)).text()
		if !strings.Contains(strings.ReplaceAll(data, `: `, `:`), step.want) {
			t.Errorf("version %d: got %s, want %s", newest, data, step.want)
		}
	}
}

// The bytes of the response, because decoded JSON has no escapes.
func TestDoor_does_not_escape_what_clients_wrote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.space(w.alice, `{}`)
	for _, params := range []string{``, `,"_meta":{"progressToken":1}`} {
		arguments := `{"spaceId":"` + id + `","entity_id":"e","entity_data":{"html":"<b>&amp;</b>","path":"C:\\u003c"}}`
		got := w.post(w.alice.key, "/v1/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_entity","arguments":`+arguments+params+`}}`)
		if !strings.Contains(got.body, `"html":"<b>&amp;</b>"`) && !strings.Contains(got.body, `"html": "<b>&amp;</b>"`) {
			t.Errorf("response: got %s, want the HTML as it was written", got.body)
		}
		if !strings.Contains(got.body, `C:\\u003c`) {
			t.Errorf("response: got %s, want the backslash and the letters behind it", got.body)
		}
		_, event, isStream := strings.Cut(got.body, "data: ")
		if params != "" != isStream {
			t.Errorf("response: got %s, want a stream exactly for a progress token", got.body)
		}
		if isStream {
			got.body = event
		}
		equal(t, "JSON", json.Valid([]byte(strings.TrimSpace(got.body))), true)
	}
}
