package command

import (
	"strings"
	"testing"
)

func TestProgressBar_is_full_above_100_percent(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	(&progressBar{terminal: &out}).draw(110, "more than expected")
	if want := "[" + strings.Repeat("#", 30) + "]"; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %s", out.String(), want)
	}
}

func TestProgressBar_is_empty_for_an_upload_without_bytes(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	(&progressBar{terminal: &out}).draw(Percentage(0, 0), "the server is starting")
	if want := strings.Repeat(".", 30); !strings.Contains(out.String(), want) {
		t.Errorf("bar: got %q, want it to contain %q", out.String(), want)
	}
}
