package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"portico/graph/view"
	"portico/model"
)

// filled returns an object with a text of so many bytes.
func filled(bytes int) string { return `{"text":"` + strings.Repeat("<", bytes) + `"}` }

func TestJSON_counts_as_storage(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, func(o *Options) { o.MaxBody = 4 << 20 })
	id := w.space(w.bob, `{}`)
	user := read[view.User](w.call(w.bob, "get_user_info", `{}`))
	if user.Storage.Used == 0 {
		t.Error("used by a space: got 0 bytes, want some")
	}
	const full = "Storage quota exceeded"
	w.call(w.bob, "create_entity", `{"spaceId":"`+id+`","entity_data":`+filled(testQuota)+`}`).refused(model.CodeQuotaExceeded, full)
	w.call(w.bob, "update_space", `{"spaceId":"`+id+`","data":`+filled(testQuota)+`}`).refused(model.CodeQuotaExceeded, full)
	w.call(w.bob, "create_space", `{"data":`+filled(testQuota)+`}`).refused(model.CodeQuotaExceeded, full)
	w.call(w.bob, "create_entity", `{"spaceId":"`+id+`","entity_data":`+filled(1<<20)+`}`).
		refused(model.CodeTooLarge, "entity_data and entity_state have more than 1048576 bytes together")
}

// rich adds an account with room for any test.
func (w *world) rich(email string) *account {
	w.t.Helper()
	who := w.account(email, model.PlanFree)
	user, err := w.db.Accounts().User(w.t.Context(), who.id)
	check(w.t, err)
	user.Quota = 1 << 30
	check(w.t, w.db.Accounts().UpdateUser(w.t.Context(), user))
	return who
}

func TestPage_is_bounded_by_its_bytes(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, func(o *Options) { o.MaxBody = 4 << 20 })
	w.bob = w.rich("rich@example.com")
	id := w.space(w.bob, `{}`)
	const count = 10
	ctx := model.WithCaller(t.Context(), &model.Caller{UserID: w.bob.id, KeyID: "k"})
	for range count {
		_, err := w.resolver.Mutation().CreateEntity(ctx, model.CreateEntity{SpaceID: id, Data: model.Object(filled(1_000_000))})
		check(t, err)
	}
	found, cursor := 0, ""
	for {
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_entities","arguments":{"spaceId":"` + id + `","limit":200` + cursor + `}}}`
		got := w.post(w.bob.key, "/v1/mcp", body)
		if len(got.body) > model.MaxResponse {
			t.Fatalf("page: got %d bytes, want at most %d", len(got.body), model.MaxResponse)
		}
		var page struct {
			Result struct{ StructuredContent view.EntityList }
		}
		check(t, json.Unmarshal([]byte(got.body), &page))
		view := page.Result.StructuredContent
		if found += view.Count; !view.HasMore || view.NextCursor == nil {
			break
		}
		cursor = fmt.Sprintf(`,"cursor":%q`, *view.NextCursor)
	}
	if found != count {
		t.Errorf("entities of all pages: got %d, want %d", found, count)
	}
}
