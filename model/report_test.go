package model

import "testing"

func TestReportReason_names_the_reasons_that_it_accepts(t *testing.T) {
	t.Parallel()
	for _, reason := range ReportReasons() {
		checkInvalid(t, reason.Validate(), "")
	}
	checkInvalid(t, ReportReason("boring").Validate(), "reason must be one of copyright, personal, illegal, harmful, spam, other")
}
