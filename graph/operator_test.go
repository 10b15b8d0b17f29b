package graph_test

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"portico/db"
	"portico/graph/access"
	"portico/graph/accounts"
	"portico/graph/door"
	"portico/model"
)

// sessionHeader names the account of a request as the cookie of a session does.
const sessionHeader = "Test-Session"

// sessionOf replaces package web, which finds callers by their sessions.
func sessionOf(_ http.ResponseWriter, r *http.Request) (*model.Caller, error) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		return nil, nil
	}
	valid := func(context.Context) error { return nil }
	return &model.Caller{UserID: id, Session: "of " + id, Check: valid, CheckSession: valid}, nil
}

// proven accepts every proof.
type proven struct{ accounts.Registry }

func (proven) RequireProof(context.Context, *model.Caller, string) error { return nil }

// askAs sends a request with a session of the account.
func (w *world) askAs(userID, query string) string {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.server.URL, strings.NewReader(request(query, nil)))
	check(w.t, err)
	r.Header.Set("Content-Type", "application/json")
	if userID != "" {
		r.Header.Set(sessionHeader, userID)
	}
	_, response := w.do(r)
	return response
}

// operatorCalls are all operations of operators, on things of bob.
func operatorCalls(w *world, space *model.Space, job, file string) map[string]string {
	calls := map[string]string{"operator": `{ operator { accounts { totalCount } } }`}
	for name, input := range map[string]string{
		"setAccountLimits": `accountId: "` + w.bob.id + `", quota: 5`,
		"disableAccount":   `accountId: "` + w.bob.id + `"`,
		"enableAccount":    `accountId: "` + w.bob.id + `"`,
		"removeAccount":    `accountId: "` + w.bob.id + `"`,
		"takeDownSpace":    `spaceId: "` + space.ID + `", reason: SPAM`,
		"restoreSpace":     `spaceId: "` + space.ID + `"`,
		"closeReports":     `spaceId: "` + space.ID + `"`,
		"retryJob":         `jobId: "` + job + `"`,
		"cancelAnyJob":     `jobId: "` + job + `"`,
		"retryQueue":       `kind: "job"`,
		"retryFile":        `fileId: "` + file + `"`,
	} {
		calls[name] = "mutation { " + name + "(input: {" + input + "}) { __typename } }"
	}
	return calls
}

// TestOperator_rights checks who may operate the server: nobody without a session of an operator,
// and nobody whose right was taken away.
func TestOperator_rights(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, door.HandlerOptions{Session: sessionOf})
	w.useAccounts(proven{})
	space, job, file := w.open(w.bob, model.Public), w.job(w.bob), w.file(w.bob, "a.glb")
	calls := operatorCalls(w, space, job.ID, file.ResourceKey)
	former := w.account(w.keys, "former@example.com", model.PlanFree)
	for _, id := range []string{w.alice.id, former.id} {
		_, err := w.db.Accounts().SetOperator(t.Context(), id, true)
		check(t, err)
	}
	if got := w.askAs(former.id, calls["operator"]); !strings.Contains(got, `"totalCount":3`) {
		t.Errorf("an operator: got %s, want the accounts", got)
	}
	_, err := w.db.Accounts().SetOperator(t.Context(), former.id, false)
	check(t, err)
	for name, call := range calls {
		for who, response := range map[string]string{
			`"UNAUTHENTICATED"`: w.askAs("", call), `"FORBIDDEN"`: w.askAs(w.bob.id, call),
		} {
			if !strings.Contains(response, who) {
				t.Errorf("%s: got %s, want %s", name, response, who)
			}
		}
		if got := w.askAs(former.id, call); !strings.Contains(got, `"FORBIDDEN"`) {
			t.Errorf("%s by a former operator: got %s, want it refused", name, got)
		}
		if _, got := w.ask(w.alice, request(call, nil)); !strings.Contains(got, `"NEEDS_SESSION"`) {
			t.Errorf("%s with the key of an operator: got %s, want it refused", name, got)
		}
	}
	equal(t, "privacy", w.mustSpace(space).Privacy, model.Public)
	for _, operation := range []string{"disableAccount", "removeAccount"} {
		call := strings.ReplaceAll(calls[operation], w.bob.id, w.alice.id)
		if got := w.askAs(w.alice.id, call); !strings.Contains(got, "belongs to an operator") {
			t.Errorf("%s of an operator: got %s, want it refused", operation, got)
		}
	}
	for _, name := range []string{
		"operator", "setAccountLimits", "takeDownSpace", "restoreSpace", "closeReports", "cancelAnyJob", "retryQueue", "retryFile",
		"disableAccount", "enableAccount", "removeAccount",
	} {
		if got := w.askAs(w.alice.id, calls[name]); strings.Contains(got, "errors") {
			t.Errorf("%s by the operator: got %s, want no error", name, got)
		}
	}
	if _, err := w.db.Accounts().User(t.Context(), w.bob.id); model.CodeOf(err) != model.CodeNotFound {
		t.Errorf("removed account: got %v, want none", err)
	}
}

// The test calls the resolvers of all fields of Operator, so a new one is among them.
func TestOperator_shows_nothing_for_the_right_of_another_account(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fields, right := reflect.ValueOf(door.Resolvers(w.Resolver).Operator()), &model.Operator{UserID: w.alice.id}
	// Resolvers of connections look at what the client selects.
	selected := graphql.CollectedField{Field: &ast.Field{Definition: &ast.FieldDefinition{Type: ast.NamedType("Any", nil)}}}
	for method := range reflect.TypeFor[door.OperatorResolver]().Methods() {
		for _, test := range []struct {
			name    string
			ctx     context.Context
			refused bool
		}{{"alice", w.alice.ctx, false}, {"bob", w.bob.ctx, true}, {"anonymous", t.Context(), true}} {
			ctx := graphql.WithOperationContext(test.ctx, &graphql.OperationContext{})
			arguments := []reflect.Value{reflect.ValueOf(graphql.WithFieldContext(ctx, &graphql.FieldContext{Field: selected})), reflect.ValueOf(right)}
			for i := len(arguments); i < method.Type.NumIn(); i++ {
				arguments = append(arguments, reflect.Zero(method.Type.In(i)))
			}
			err, _ := fields.MethodByName(method.Name).Call(arguments)[1].Interface().(error)
			if got := model.CodeOf(err) == model.CodeForbidden; got != test.refused {
				t.Errorf("%s as %s: got %v, want it refused: %t", method.Name, test.name, err, test.refused)
			}
		}
	}
}

// TestOperator_in_the_audit_trail checks that operators see which operator acted, and from which
// address, and that the account does not.
func TestOperator_in_the_audit_trail(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, door.HandlerOptions{Session: sessionOf})
	_, err := w.db.Accounts().SetOperator(t.Context(), w.alice.id, true)
	check(t, err)
	calls := operatorCalls(w, w.open(w.bob, model.Public), "j", "f")
	w.askAs(w.alice.id, calls["setAccountLimits"])
	got := w.askAs(w.alice.id, `{ operator { auditTrail(accountId: "`+w.bob.id+`", type: [ACCOUNT_CHANGED]) {
		nodes { userId userEmail actorId actorEmail title reason takedownReason changes { field after } detail } } } }`)
	if want := fmt.Sprintf(`"actorId":%q,"actorEmail":"alice@example.com","title":"","reason":null,"takedownReason":null,`+
		`"changes":[{"field":"STORAGE","after":"5"}],"detail":"Storage `, w.alice.id); !strings.Contains(got, want) {
		t.Errorf("audit trail: got %s, want %s", got, want)
	}
	events, err := w.db.Audit().SecurityEvents(t.Context(), w.bob.id, model.Page{Limit: 1})
	check(t, err)
	if e := events.Nodes[0]; e.Type != model.EventAccountChanged || e.ActorID != "" || e.Address != "" || e.RequestID != "" {
		t.Errorf("event of the account: got %+v, want nothing about the operator", e)
	}
}

// An operator who misspells a kind learns so, instead of reading that no work waited.
func TestRetryQueue_refuses_an_unknown_kind(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, door.HandlerOptions{Session: sessionOf})
	_, err := w.db.Accounts().SetOperator(t.Context(), w.alice.id, true)
	check(t, err)
	got := w.askAs(w.alice.id, `mutation { retryQueue(input: {kind: "jobs"}) { started } }`)
	if !strings.Contains(got, "kind must be one of job, ") || !strings.Contains(got, `"field":["input","kind"]`) {
		t.Errorf("an unknown kind: got %s, want a refusal that names the field and the kinds", got)
	}
}

// The test reports a space as an account and as a visitor, and takes it down.
func TestReportSpace_counts_accounts_and_visitors(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, door.HandlerOptions{Session: sessionOf})
	_, err := w.db.Accounts().SetOperator(t.Context(), w.alice.id, true)
	check(t, err)
	space, private := w.open(w.bob, model.Public), w.open(w.bob, model.Private)
	report := func(who string, reported *model.Space, text string) string {
		return w.askAs(who, `mutation { reportSpace(input: {spaceId: "`+reported.NodeID()+`", reason: SPAM, text: "`+text+`"}) { reported } }`)
	}
	for _, row := range []struct{ who, want string }{
		{"", `{"data":{"reportSpace":{"reported":true}}}`}, {"", `{"data":{"reportSpace":{"reported":false}}}`},
		{w.alice.id, `{"data":{"reportSpace":{"reported":true}}}`}, {w.alice.id, `{"data":{"reportSpace":{"reported":false}}}`},
	} {
		equal(t, "report", report(row.who, space, "An advertisement"), row.want)
	}
	for name, got := range map[string]string{
		"FORBIDDEN": report(w.alice.id, private, ""), "UNAUTHENTICATED": report("", private, ""),
		"INVALID": report(w.alice.id, space, strings.Repeat("x", model.MaxReportText+1)),
	} {
		if !strings.Contains(got, name) {
			t.Errorf("report: got %s, want %s", got, name)
		}
	}
	got := w.askAs(w.alice.id, `{ operator { spaces(filter: {reported: true}) { nodes { title url openReports reports { reason text } takedown { reason } } } } }`)
	if !strings.Contains(got, `"openReports":2,"reports":[{"reason":"SPAM","text":"An advertisement"}`) || !strings.Contains(got, webURL) {
		t.Errorf("reported spaces: got %s", got)
	}

	w.askAs(w.alice.id, `mutation { takeDownSpace(input: {spaceId: "`+space.ID+`", reason: SPAM, text: "No ads"}) { space { openReports } } }`)
	_, err = w.Query().Space(w.alice.ctx, space.ID)
	checkError(t, err, model.CodeForbidden, access.SpaceForbidden)
	_, err = w.Query().SpacePage(t.Context(), space.ID)
	checkError(t, err, model.CodeForbidden, model.SpaceTakenDown)
	_, err = w.Mutation().UpdateSpacePrivacy(w.bob.ctx, model.UpdateSpacePrivacy{SpaceID: space.ID, Privacy: model.Public})
	checkError(t, err, model.CodeForbidden, model.SpaceTakenDown)
	got = w.query(w.bob, `{ space(id: "`+space.ID+`") { privacy takedown { reason text } } notifications { nodes { type text space { title } } } }`, nil)
	equal(t, "owner's space", got, `{"space":{"privacy":"PRIVATE","takedown":{"reason":"SPAM","text":"No ads"}},`+
		`"notifications":{"nodes":[{"type":"SPACE_TAKEN_DOWN","text":"No ads","space":{"title":"Untitled space"}}]}}`)
	_, err = w.Mutation().DeleteSpace(w.bob.ctx, space.ID)
	check(t, err)
}

// TestOperator_needs_no_statement_for_each_row reads lists of few and of many rows.
func TestOperator_needs_no_statement_for_each_row(t *testing.T) {
	t.Parallel()
	recorder := tracetest.NewSpanRecorder()
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("test")
	w := serveWorld(t, door.HandlerOptions{Session: sessionOf, Tracer: tracer})
	traced, err := db.Open(t.Context(), db.Options{URL: w.url, Connections: 4, Logger: w.Logger(), Tracer: tracer})
	check(t, err)
	t.Cleanup(func() { check(t, traced.Close()) })
	_, err = w.db.Accounts().SetOperator(t.Context(), w.alice.id, true)
	check(t, err)
	w.makeRoom()
	for i := range 12 {
		space := w.open(w.bob, model.Public)
		_, err := w.db.Moderation().AddReport(t.Context(), model.ReportSpace{SpaceID: space.ID, Reason: model.ReportOther}, fmt.Sprint("visitor-", i))
		check(t, err)
		w.account(w.keys, fmt.Sprintf("%d@example.com", i), model.PlanFree)
	}
	w.job(w.bob)
	w.useDB(traced)
	for _, query := range []string{
		`{ operator { accounts(first: %d) { nodes { email spaceCount storage { used } isOperator disabledAt } totalCount } } }`,
		`{ operator { spaces(first: %d) { nodes { url ownerName openReports reports { text } takedown { text } } } } }`,
		`{ operator { auditTrail(first: %d) { nodes { userEmail actorEmail type } } } }`,
		`{ operator { jobs(first: %d) { nodes { ownerEmail canRetry } } queues { kind } failedFiles { name } } }`,
	} {
		counts := map[int]int{}
		for _, rows := range []int{1, 12} {
			recorder.Reset()
			if got := w.askAs(w.alice.id, fmt.Sprintf(query, rows)); strings.Contains(got, "errors") {
				t.Fatalf("%s: got %s", query, got)
			}
			counts[rows] = len(recorder.Ended())
		}
		if counts[1] != counts[12] || counts[1] == 0 {
			t.Errorf("%s: got %d spans for one row and %d for 12, want the same", query, counts[1], counts[12])
		}
	}
}
