package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"portico/internal/testkit/postgres"
)

// planned has the statements whose plans were checked, by their normalized texts: each one is
// checked by the first test of the package that runs it.
var planned sync.Map

// statementChecker records the statements that the package runs on the database of a test. After
// the test it checks that each can find its rows without reading a whole table.
type statementChecker struct {
	mu       sync.Mutex
	plain    map[string]string // a statement of Bun by its normalized text
	prepared map[string]bool
}

// checkStatements checks the statements that run on the database until the test ends.
func checkStatements(t testing.TB, db *DB) {
	c := &statementChecker{plain: map[string]string{}, prepared: map[string]bool{}}
	hooked := db.root.WithQueryHook(c)
	db.root, db.idb = hooked, hooked
	db.prepared.observe = c.observe
	name := databaseOf(t, db)
	t.Cleanup(func() {
		if !t.Failed() {
			c.check(t, name)
		}
	})
}

func (c *statementChecker) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	return ctx
}

func (c *statementChecker) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	if e.Err != nil || !hasPlan(e.Query) || !ranByPackage() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plain[normalized(e.Query)] = e.Query
}

func (c *statementChecker) observe(text string) {
	if !hasPlan(text) || !ranByPackage() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prepared[text] = true
}

// hasPlan reports whether Postgres plans the statement.
func hasPlan(statement string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(statement), " ")
	switch strings.ToUpper(word) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}

// ranByPackage reports whether the package runs the statement, and not one of its tests.
func ranByPackage() bool {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "portico/db.") && !strings.Contains(frame.Function, "statementChecker") {
			return !strings.HasSuffix(frame.File, "_test.go")
		}
		if !more {
			return false
		}
	}
}

var (
	literal  = regexp.MustCompile(`'(?:[^']|'')*'|\b\d+(\.\d+)?\b`)
	literals = regexp.MustCompile(`\?(, \?)+|(\(\?\))(, \(\?\))+`)
)

// normalized returns the statement without its literals, and with lists of them as one.
func normalized(statement string) string {
	return literals.ReplaceAllString(literal.ReplaceAllString(statement, "?"), "?")
}

// check checks the plans of the statements that no other test has checked.
func (c *statementChecker) check(t testing.TB, database string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	admin, err := connect(Options{URL: postgres.AdminURL(t, database), StatementTimeout: time.Minute, Connections: 1})
	check(t, err)
	defer func() { check(t, admin.Close()) }()
	conn, err := admin.Conn(ctx)
	check(t, err)
	defer func() { check(t, conn.Close()) }()
	// Small tables are joined as wholes, which large ones are not.
	_, err = conn.ExecContext(ctx, "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET plan_cache_mode = force_generic_plan")
	check(t, err)
	var partial []string // indexes that are as small as their condition
	check(t, conn.NewRaw("SELECT indexrelid::regclass::text FROM pg_index WHERE indpred IS NOT NULL").Scan(ctx, &partial))
	explain := func(key, statement, explained string) {
		if _, known := planned.LoadOrStore(key, true); known || isWholeRead(statement) {
			return
		}
		var plans string
		err := conn.NewRaw("EXPLAIN (FORMAT JSON, COSTS OFF) "+explained).Scan(ctx, &plans)
		if err == nil {
			err = wholeTables(plans, partial)
		}
		if err != nil {
			t.Errorf("plan: %v\n%s", err, statement)
		}
	}
	for key, statement := range c.plain {
		explain(key, statement, statement)
	}
	for statement := range c.prepared {
		if _, err := conn.ExecContext(ctx, "PREPARE planned AS "+statement); err != nil {
			t.Errorf("prepare: %v\n%s", err, statement)
			continue
		}
		explain(statement, statement, "EXECUTE planned"+arguments(statement))
		_, err := conn.ExecContext(ctx, "DEALLOCATE planned")
		check(t, err)
	}
}

// planNode is a node of a plan, by its fields of EXPLAIN.
type planNode struct {
	Type      string     `json:"Node Type"`
	Relation  string     `json:"Relation Name"`
	Index     string     `json:"Index Name"`
	Condition string     `json:"Index Cond"`
	Children  []planNode `json:"Plans"`
}

// wholeTables returns an error for each table that a plan reads whole.
func wholeTables(plans string, partial []string) error {
	var roots []struct{ Plan planNode }
	if err := json.Unmarshal([]byte(plans), &roots); err != nil {
		return err
	}
	var errs []error
	for _, root := range roots {
		root.Plan.walk(false, func(n planNode, limited bool) {
			switch {
			case n.Type == "Seq Scan":
				errs = append(errs, fmt.Errorf("got a read of the whole table %s, want an index", n.Relation))
			case strings.Contains(n.Type, "Index") && n.Condition == "" && !limited && !slices.Contains(partial, n.Index):
				errs = append(errs, fmt.Errorf("got a read of the whole index %s, want a condition", n.Index))
			}
		})
	}
	return errors.Join(errs...)
}

// walk visits the node and all nodes below it. Limited means that a node above stops it early.
func (n planNode) walk(limited bool, visit func(n planNode, limited bool)) {
	visit(n, limited)
	for _, child := range n.Children {
		child.walk(limited || n.Type == "Limit", visit)
	}
}

// wholeReads are parts of the statements that read a whole table, with the reason why they may.
func wholeReads() map[string]string {
	return map[string]string{
		"FROM changes":    "a change is there only until its version was recorded, seconds later",
		"pg_stats":        "the catalog does not grow",
		"FROM json_usage": "every five minutes, for the operator: a row for each account",
		") AS moderated":  "operators search in all spaces, and see how many there are",
		") AS accounts":   "operators search in all accounts, and see how many there are",
		") AS jobs WHERE": "operators see how many jobs of all accounts match a filter",
	}
}

// isWholeRead reports whether the statement may read a whole table.
func isWholeRead(statement string) bool {
	for part := range wholeReads() {
		if strings.Contains(statement, part) {
			return true
		}
	}
	return false
}
