package page_test

import (
	"os"
	"testing"

	"portico/internal/testkit/browser"
)

// minLighthouse is the lowest score of the gallery in each category, of 100.
const minLighthouse = 95

// TestLighthouse scores the gallery with Lighthouse where LIGHTHOUSE is set. It is not part of
// other runs, because the score of performance is only meaningful on a quiet machine.
func TestLighthouse(t *testing.T) {
	t.Parallel()
	if os.Getenv("LIGHTHOUSE") == "" {
		t.Skip("LIGHTHOUSE is not set")
	}
	scripts := browser.New(t, browser.Options{Name: "lighthouse", Scripts: "lighthouse"})
	p := open(t)
	p.decorate()
	out, err := scripts.Run(t.Context(), browser.Command{Script: "score.mjs", Args: []string{scripts.Chromium, p.BaseURL() + "/"}})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Text())
	}
	type result struct {
		Screen string         `json:"screen"`
		Scores map[string]int `json:"scores"`
		Failed []string       `json:"failed"`
		Error  string         `json:"error"`
	}
	results := browser.Lines[result](t, out)
	if len(results) != 2 {
		t.Fatalf("got %d results, want one of a phone and one of a desktop computer", len(results))
	}
	for _, got := range results {
		t.Logf("%s: %v; not passed: %q", got.Screen, got.Scores, got.Failed)
		if got.Error != "" || len(got.Scores) != 4 {
			t.Errorf("%s: got %d scores and error %q, want 4 and none", got.Screen, len(got.Scores), got.Error)
		}
		for category, score := range got.Scores {
			if score < minLighthouse {
				t.Errorf("%s, %s: got %d, want at least %d", got.Screen, category, score, minLighthouse)
			}
		}
	}
}
