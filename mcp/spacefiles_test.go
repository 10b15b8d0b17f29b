package mcp

import (
	"testing"

	"portico/graph/view"
	"portico/model"
)

func TestSummary_counts_in_the_singular_and_the_plural(t *testing.T) {
	t.Parallel()
	one, two, none := make([]model.AppliedChange, 1), make([]model.AppliedChange, 2), []model.AppliedChange{}
	for _, test := range []struct {
		output output
		want   string
	}{
		{changesOutput{view.Changes{Applied: one}}, "Made 1 change"},
		{changesOutput{view.Changes{Applied: one, DryRun: true}}, "It would make 1 change"},
		{changesOutput{view.Changes{Applied: two}}, "Made 2 changes"},
		{changesOutput{view.Changes{Applied: none, NoChanges: true}}, "The space is already as the files say"},
		{spaceFilesOutput{view.SpaceFiles{Files: make([]model.ExportedFile, 1)}}, "1 file"},
		{jobListOutput{}, "0 jobs"},
	} {
		equal(t, "summary", test.output.summary(), test.want)
	}
}
