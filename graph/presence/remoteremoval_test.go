package presence

import (
	"encoding/json"
	"slices"
	"testing"
)

// A process may store the removal of an owner whom it does not know yet. The owner's process
// refuses it, and would refuse it again with each batch.
func TestRemove_of_an_owner_of_another_process_is_not_repeated(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 2)
	owner, refusal := all[0].Join(t.Context(), Guest{SpaceID: "space", Subject: "ip:1", IsOwner: true})
	if refusal != "" {
		t.Fatalf("join: got %q, want success", refusal)
	}
	watcher := join(t, all[1], "ip:2")
	await(t, "the owner is seen", watcher, has(owner.member.ID))
	sent := all[1].bus.client.Subscribe(t.Context(), channelPrefix+"space")
	defer func() { _ = sent.Close() }() // the server may be gone by then
	if _, err := sent.Receive(t.Context()); err != nil {
		t.Fatalf("subscribe: %v", err)
	}

	watcher.room.storeRemoval(owner.member.ID)
	if err := moveTo(owner, 7); err != nil {
		t.Fatal(err)
	}
	await(t, "the move is seen", watcher, func(members map[string]*member) bool {
		return slices.Equal(members[owner.member.ID].Position, []float64{7, 0, 0})
	})
	watcher.Leave() // its last message comes after a Remove
	for {
		received, err := sent.ReceiveMessage(t.Context())
		if err != nil {
			t.Fatalf("receive: %v", err)
		}
		var m message
		if err := json.Unmarshal([]byte(received.Payload), &m); err != nil {
			t.Fatalf("message: %v", err)
		}
		if m.Remove != "" {
			t.Errorf("message: got %s, want no removal of an owner", received.Payload)
		}
		if m.From == all[1].process && m.Full && len(m.Visitors) == 0 {
			return
		}
	}
}

// Otherwise the owner's process would ask for the removal, too.
func TestRemove_of_an_owner_is_not_stored_by_the_process_of_the_owner(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 1)
	owner, refusal := all[0].Join(t.Context(), Guest{SpaceID: "space", Subject: "ip:1", IsOwner: true})
	if refusal != "" {
		t.Fatalf("join: got %q, want success", refusal)
	}
	all[0].deliver("space", &message{From: "another process", Remove: owner.member.ID})
	owner.room.mu.Lock()
	defer owner.room.mu.Unlock()
	if got := owner.room.removals; len(got) > 0 {
		t.Errorf("removals: got %v, want none", got)
	}
}
