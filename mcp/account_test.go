package mcp

import "testing"

func TestGetUserInfo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.file(w.alice, "a.json")
	answer := w.call(w.alice, "get_user_info", `{}`)
	want := userView{
		ID: w.alice.id, Name: "alice", Email: "alice@example.com", Plan: "pro",
		Storage: storageView{Used: 1, Quota: testQuota},
	}
	equal(t, "account", read[userView](answer), want)
	summary, _ := answer.text()
	equal(t, "summary", summary, "alice (alice@example.com), pro plan, 1 of 100000 bytes used")
	equal(t, "another account", read[userView](w.call(w.bob, "get_user_info", "null")).ID, w.bob.id)
}
