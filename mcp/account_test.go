package mcp

import (
	"testing"

	"portico/graph/view"
)

func TestGetUserInfo_returns_the_account_with_its_storage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.file(w.alice, "a.json")
	response := w.call(w.alice, "get_user_info", `{}`)
	want := view.User{
		ID: w.alice.id, Name: "alice", Email: "alice@example.com", Plan: "pro",
		Storage: view.Storage{Used: 1, Quota: testQuota},
	}
	equal(t, "account", read[view.User](response), want)
	summary, _ := response.text()
	equal(t, "summary", summary, "alice (alice@example.com), pro plan, 1 of 100000 bytes used")
	equal(t, "another account", read[view.User](w.call(w.bob, "get_user_info", "null")).ID, w.bob.id)
}
