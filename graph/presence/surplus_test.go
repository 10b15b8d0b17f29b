package presence

import (
	"testing"

	"portico/model"
)

func TestRooms_of_several_processes_are_not_filled_by_one_address(t *testing.T) {
	t.Parallel()
	all, _ := processes(t, 2)
	for range maxPerSubject {
		join(t, all[0], "ip:1")
	}
	watcher := join(t, all[1], "ip:2")
	await(t, "the visitors of the address are seen", watcher, func(members map[string]*member) bool {
		return len(members) == maxPerSubject+1
	})
	refused(t, all[1], "ip:1", model.PresenceFull)
	join(t, all[1], "ip:3")
}

// Two processes that were cut off from each other may let in too many visitors of one address.
func TestRooms_of_several_processes_drop_the_surplus_of_an_address(t *testing.T) {
	t.Parallel()
	all, server := processes(t, 2)
	server.Close()
	early, other := join(t, all[0], "ip:1"), join(t, all[1], "ip:2")
	for range maxPerSubject - 2 {
		join(t, all[0], "ip:1")
	}
	unknown := join(t, all[1], "")
	late := []*Stay{join(t, all[1], "ip:1"), join(t, all[1], "ip:1")}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	const left = maxPerSubject + 2 // with the two of other addresses
	for _, stay := range []*Stay{early, other} {
		await(t, "one of the address has left", stay, func(members map[string]*member) bool {
			return len(members) == left && has(late[0].member.ID)(members) && hasNot(late[1].member.ID)(members)
		})
	}
	for name, row := range map[string]struct {
		stay *Stay
		want model.PresenceEnd
	}{
		"early": {early, ""}, "late": {late[0], ""}, "last": {late[1], model.PresenceFull},
		"another address": {other, ""}, "no address": {unknown, ""},
	} {
		if _, got, _ := row.stay.Next(); got != row.want {
			t.Errorf("%s: got end %q, want %q", name, got, row.want)
		}
	}
}
