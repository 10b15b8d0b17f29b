package server

import (
	"testing"

	"portico/model"
	"portico/server/settings"
)

func TestFirstAccountCode_is_needed_where_other_machines_reach_the_server(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		addr, baseURL string
		needed        bool
	}{
		{"127.0.0.1:8080", "", false}, {"localhost:8080", "", false}, {"[::1]:8080", "http://localhost:8080", false},
		{"0.0.0.0:8080", "", true}, {":8080", "", true}, {"[::]:8080", "http://localhost:8080", true},
		{"[0:0:0:0:0:0:0:0]:8080", "", true}, {"[::ffff:0.0.0.0]:8080", "", true}, {"[::%lo]:8080", "", true},
		{"[::ffff:127.0.0.1]:8080", "", false}, {"[::ffff:192.168.1.4]:8080", "", true}, {"[::]:8080", "http://[::1]:8080", true},
		{"[::1]:8080", "http://[::]:8080", true}, {"127.0.0.1:8080", "http://127.0.0.1.example.com", true},
		{"nowhere", "", true}, {"192.168.1.4:8080", "", true}, {"127.0.0.1:8080", "https://spaces.example.com", true},
	} {
		p := &Program{Config: settings.Config{Addr: row.addr, BaseURL: row.baseURL}, secret: []byte("0123456789abcdef")}
		code, err := p.firstAccountCode()
		if err != nil || (code != "") != row.needed {
			t.Errorf("%s with base %q: got %q, %v, want a code %t", row.addr, row.baseURL, code, err, row.needed)
		}
	}
}

// Without a setting, people who sign up meet no plans. An operator turns them on with a plan.
func TestPlanOfPeople(t *testing.T) {
	t.Parallel()
	for set, want := range map[settings.Plan]model.Plan{"": model.PlanPro, "free": model.PlanFree, "pro": model.PlanPro} {
		p := &Program{Config: settings.Config{Plan: set}}
		if got := p.planOfPeople(); got != want {
			t.Errorf("PORTICO_PLAN=%q: got %q, want %q", set, got, want)
		}
	}
}
