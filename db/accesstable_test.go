package db

import (
	"strings"
	"testing"

	"portico/internal/testkit/access"
	"portico/internal/testkit/postgres"
)

// accessRule is a rule of owner.go as a condition on the space s, and what it must decide. The
// parameters have the numbers of ownedSpace and editableSpace. Those have no $2, and Postgres refuses
// a parameter that is not used, so ownerOf gets the id of the space as $2.
type accessRule struct {
	name, condition string
	want            func(c access.Case) bool
}

func accessRules() []accessRule {
	owns := func(c access.Case) bool { return c.Owns }
	return []accessRule{
		{"ownedBy", "s." + ownedBy("$3"), owns},
		{"belongsTo", "(SELECT " + belongsTo("$3") + " FROM (SELECT s.owner_id AS user_id) AS of_owner)", owns},
		{"ownerOf", ownerOf("$2") + " = $3", owns},
		{"readable", "s." + readable, func(c access.Case) bool { return c.EverybodyReads }},
		{"public", "s." + public, func(c access.Case) bool { return c.EverybodyFinds }},
		{"notLockedByAnother", notLockedByAnother("$4"), func(c access.Case) bool { return c.IsUnlocked }},
		{"ownedSpace", ownedSpace, owns},
		{"editableSpace", editableSpace, func(c access.Case) bool { return c.Owns && c.IsUnlocked }},
	}
}

// Package graph has the same test of the rules in Go, with the same table.
func TestRules_of_access_as_SQL_match_the_table(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	owner, stranger := addUser(t, db), addUser(t, db)
	space := addSpace(t, db, owner, "Hall")
	accounts := map[access.Visitor]string{access.Owner: owner.ID, access.Stranger: stranger.ID, access.LinkedStranger: stranger.ID, access.Anonymous: "", access.Guest: ""}
	rules := accessRules()
	conditions, got, scanned := make([]string, len(rules)), make([]bool, len(rules)), make([]any, len(rules))
	for i, rule := range rules {
		conditions[i], scanned[i] = "coalesce("+rule.condition+", false)", &got[i] // as WHERE reads NULL
	}
	query := "SELECT " + strings.Join(conditions, ", ") + " FROM spaces AS s WHERE s.id = $1"
	pool := postgres.Connect(t, postgres.AdminURL(t, databaseOf(t, db)))
	for _, c := range access.Cases() {
		_, err := pool.ExecContext(t.Context(), access.SetSpace, space.ID, c.Privacy, c.Lock.Token, c.Lock.Until)
		check(t, err)
		check(t, pool.QueryRowContext(t.Context(), query,
			space.ID, space.ID, accounts[c.Visitor], c.Lock.Sent).Scan(scanned...))
		for i, rule := range rules {
			if want := rule.want(c); got[i] != want {
				t.Errorf("%s: %s: got %v, want %v", c, rule.name, got[i], want)
			}
		}
	}
}
