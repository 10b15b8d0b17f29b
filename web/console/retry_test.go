package console_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"portico/internal/testkit/browser"
	"portico/internal/testkit/world"
)

// TestConsole_shows_the_job_of_a_retry retries a failed conversion: the view of operators shows the
// new job at once.
func TestConsole_shows_the_job_of_a_retry(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "playground", Scripts: "browser", Packages: "../playground/browser"})
	w := world.Start(t, "--addr=localhost:0")
	signals := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		user, err := w.DB.Accounts().UserByEmail(r.Context(), email)
		if err == nil {
			_, err = w.DB.Accounts().SetOperator(r.Context(), user.ID, true)
		}
		if err == nil {
			_, err = w.DB.Jobs().FailJobAndUpload(r.Context(), r.FormValue("job"), 0, "The conversion took too long")
		}
		if err != nil {
			t.Errorf("fail the job: %v", err)
		}
	}))
	t.Cleanup(signals.Close)
	out, err := scripts.Run(t.Context(), browser.Command{Script: "retry.mjs", Args: []string{w.BaseURL(), signals.URL}})
	if err != nil || out.Text() != "done\n" {
		t.Errorf("got %v and\n%swant nothing that is wrong", err, out.Text())
	}
}
