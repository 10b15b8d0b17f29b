package transfer

import (
	"strings"
	"testing"

	"portico/cmd/portico/command"
)

// The JSON of a change set can be larger than the files in it.
func TestImport_reports_at_most_100_percent(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	i := &importer{total: 100, progress: command.NewProgress(&command.Invocation{Out: &out}, true)}
	i.advance(110, "Filling spaces")
	if want := `{"message":"Filling spaces","percent":100}`; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
