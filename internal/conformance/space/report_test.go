package space_test

import (
	"testing"

	"portico/model"
)

// The test reports a space in browsers. Its server has a low limit of reports, so that the
// page reaches it with few requests.
func TestReport_of_a_space_in_a_browser(t *testing.T) {
	t.Parallel()
	s := newSite(t, "--rate-limits=report=3,all=100000")
	space := s.newSpace("Reported", "infinite", "")
	other := s.world.NewClient(t, model.CreateUser{Email: "other@example.com", PasswordHash: "!", Plan: model.PlanPro, Quota: 1 << 20})
	s.visit(t, "report.mjs", map[string]any{"space": space, "other": other.Key})
	moderated, err := s.world.DB.Moderation().ModeratedSpace(t.Context(), space)
	check(t, err)
	if got, want := moderated.OpenReports, 2; got != want {
		t.Errorf("open reports: got %d, want %d: one of the stranger, one of the account", got, want)
	}
}
