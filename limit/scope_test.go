package limit

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLimits_match_API_section_8(t *testing.T) {
	t.Parallel()
	want := map[Scope]int{
		"all": 300, "upload": 20, "upload-complete": 20, "job": 120,
		"create-space": 60, "update-privacy": 60, "entities": 300,
		"key": 20, "workspace": 30, "report": 10, "move": 30_000, "json": 32_768, // ours
	}
	if diff := cmp.Diff(want, defaultLimits()); diff != "" {
		t.Errorf("limits: (-want +got)\n%s", diff)
	}
}

func TestCharges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		scopes []Scope
		want   []charge
	}{
		{"count a scope in all", []Scope{Upload}, []charge{{scope: All, count: 1}, {scope: Upload, count: 1}}},
		{"count all once", []Scope{All}, []charge{{scope: All, count: 1}}},
		{"count a scope without a limit in all only", []Scope{"nothing"}, []charge{{scope: All, count: 1}}},
		{"count moves alone", []Scope{Move, Move}, []charge{{scope: Move, count: 2}}},
		{"count moves apart from the others", []Scope{Move, Job}, []charge{{scope: All, count: 1}, {scope: Move, count: 1}, {scope: Job, count: 1}}},
		{"count each of several", []Scope{Upload, All, Job, Upload}, []charge{{scope: All, count: 4}, {scope: Upload, count: 2}, {scope: Job, count: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, charges(defaultLimits(), c.scopes), cmp.AllowUnexported(charge{})); diff != "" {
				t.Errorf("charges: (-want +got)\n%s", diff)
			}
		})
	}
}
