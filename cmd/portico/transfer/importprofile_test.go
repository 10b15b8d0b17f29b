package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"portico/client"
	"portico/internal/testkit/pipe"
	"portico/model"
)

// serveFollows serves GraphQL like a server on which the account "grace" can be followed, the
// accounts "broken" and "damaged" only lead to faults, and other accounts do not exist. fault is
// called at each fault.
func serveFollows(t *testing.T, fault func()) http.HandlerFunc {
	t.Helper()
	return func(w http.ResponseWriter, r *http.Request) {
		var operation struct {
			Query     string
			Variables struct{ ID string }
		}
		if err := json.NewDecoder(r.Body).Decode(&operation); err != nil {
			t.Error(err)
		}
		id, response := operation.Variables.ID, `{"data": {}}`
		isKnown := slices.Contains([]string{"grace", "broken", "damaged"}, id)
		switch isQuery := strings.HasPrefix(operation.Query, "query"); {
		case isQuery && isKnown:
			response = fmt.Sprintf(`{"data": {"user": {"id": %q, "name": %q}}}`, id, id)
		case isQuery:
			response = `{"data": {"user": null}}`
		case isKnown && id != "grace":
			fault()
			response = `{"errors": [{"message": "Internal server error", "extensions": {"code": "INTERNAL"}}]}`
		}
		_, _ = io.WriteString(w, response) // the client reads all of it
	}
}

// importerOfFollows returns an importer of an account that follows these accounts.
func importerOfFollows(r *client.Client, ids ...string) *importer {
	i := &importer{remote: r, archive: &exportArchive{account: model.ExportedAccount{Name: "Ada"}}}
	for _, id := range ids {
		i.archive.follows = append(i.archive.follows, model.ExportedFollow{ID: id, Name: id})
	}
	return i
}

// The spaces are public by now. A failed follow must not delete them.
func TestImport_notes_a_follow_that_the_server_cannot_make(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		i := importerOfFollows(&client.Client{Server: "http://server", Key: "k", Transport: pipe.Transport(t, serveFollows(t, func() {}))}, "broken", "grace", "unknown", "damaged")
		check(t, i.importProfile(t.Context()))
		want := []string{
			`The account "broken" could not be followed: Internal server error`,
			`The account "damaged" could not be followed: Internal server error`,
			"1 accounts that you followed are not on this server",
		}
		if !slices.Equal(i.result.Notes, want) {
			t.Errorf("notes: got %q, want %q", i.result.Notes, want)
		}
		if passed := time.Since(start); passed > client.MaxStall+client.MaxRetryDelay {
			t.Errorf("the follows ended after %s, want one wait of %s", passed, client.MaxStall)
		}
	})
}

// An interrupt undoes the import, even while a follow is being retried.
func TestImport_that_is_interrupted_at_a_follow_fails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		defer interrupt()
		i := importerOfFollows(&client.Client{Server: "http://server", Key: "k", Transport: pipe.Transport(t, serveFollows(t, interrupt))}, "broken")
		if err := i.importProfile(ctx); !errors.Is(err, context.Canceled) || len(i.result.Notes) > 0 {
			t.Errorf("got %v and the notes %q, want only the interrupt", err, i.result.Notes)
		}
	})
}
