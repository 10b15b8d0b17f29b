package db

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"portico/db/dial"
	"portico/internal/testkit/postgres"
)

// planned has the statements whose plans were checked, by their normalised texts: each one is
// checked by the first test of the package that runs it.
var planned sync.Map

// statementChecker records the statements that the package runs on the database of a test. After
// the test it checks that each can find its rows without reading a whole table.
type statementChecker struct {
	mu       sync.Mutex
	plain    map[string]string // a statement of Bun by its normalised text
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
	c.plain[normalised(e.Query)] = e.Query
}

func (c *statementChecker) observe(text string) {
	if !hasPlan(text) || !ranByPackage() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prepared[text] = true
}

// hasPlan reports whether Postgres plans the statement: EXPLAIN refuses the others.
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

// normalised returns the statement without its literals, and with lists of them as one. It does so
// for every statement of every test, some with megabytes of JSON, for which regular expressions
// took a quarter of the CPU of these tests.
func normalised(statement string) string {
	var text []byte
	for statement != "" {
		length := 1
		switch {
		case statement[0] == '\'':
			length = quotedLength(statement)
			text = append(bytes.TrimSuffix(text, []byte("?, ")), '?')
		case isWord(rune(statement[0])):
			if end := strings.IndexFunc(statement, func(r rune) bool { return !isWord(r) }); end > 0 {
				length = end
			} else {
				length = len(statement)
			}
			if word := statement[:length]; strings.Trim(word, "0123456789") == "" {
				text = append(bytes.TrimSuffix(text, []byte("?, ")), '?')
			} else {
				text = append(text, word...)
			}
		default:
			if text = append(text, statement[0]); bytes.HasSuffix(text, []byte("(?), (?)")) {
				text = bytes.TrimSuffix(text, []byte(", (?)"))
			}
		}
		statement = statement[length:]
	}
	return string(text)
}

// isWord reports whether names and numbers of statements contain the character.
func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// quotedLength returns the length of the quoted literal at the beginning of the text. It contains
// quotes twice.
func quotedLength(text string) int {
	for length := 1; ; {
		end := strings.IndexByte(text[length:], '\'')
		if end < 0 {
			return len(text)
		}
		if length += end + 1; !strings.HasPrefix(text[length:], "'") {
			return length
		}
		length++
	}
}

// check checks the plans of the statements that no other test has checked.
func (c *statementChecker) check(t testing.TB, database string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.plain, func(key, statement string) bool { return markPlanned(key) || isWholeRead(statement) })
	maps.DeleteFunc(c.prepared, func(statement string, _ bool) bool { return markPlanned(statement) || isWholeRead(statement) })
	if len(c.plain)+len(c.prepared) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	admin, err := dial.Open(postgres.AdminURL(t, database), dial.Pool{Connections: 1, StatementTimeout: time.Minute})
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
	explain := func(statement, explained string) {
		var plans string
		err := conn.NewRaw("EXPLAIN (FORMAT JSON, COSTS OFF) "+explained).Scan(ctx, &plans)
		if err == nil {
			err = wholeTables(plans, partial)
		}
		if err != nil {
			t.Errorf("plan: %v\n%s", err, statement)
		}
	}
	for _, statement := range c.plain {
		explain(statement, statement)
	}
	for statement := range c.prepared {
		if _, err := conn.ExecContext(ctx, "PREPARE planned AS "+statement); err != nil {
			t.Errorf("prepare: %v\n%s", err, statement)
			continue
		}
		explain(statement, "EXECUTE planned"+arguments(statement))
		_, err := conn.ExecContext(ctx, "DEALLOCATE planned")
		check(t, err)
	}
}

// markPlanned records that this test checks the statement, and reports whether one has checked it
// before.
func markPlanned(key string) bool {
	_, known := planned.LoadOrStore(key, true)
	return known
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
		"sequence = ANY(": "a batch of changes; in a test these may be all changes in the table",
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

func TestNormalised(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, statement, want string }{
		{"has no literals", `SELECT "a1" FROM b WHERE c = 'it''s' AND d > 25 LIMIT 10`, `SELECT "a1" FROM b WHERE c = ? AND d > ? LIMIT ?`},
		{"has one literal of a list", `x IN ('a', 'b', 3)`, `x IN (?)`},
		{"has one row of several", `VALUES ('a', 1), ('b', 2), ('', 3) RETURNING "x"`, `VALUES (?) RETURNING "x"`},
		{"keeps other characters", `x = 'ä' AND "ä€" = $1::jsonb`, `x = ? AND "ä€" = $?::jsonb`},
		{"ends in a literal", `x = 'b`, `x = ?`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := normalised(test.statement); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
