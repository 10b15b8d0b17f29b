package main

import (
	"regexp"
	"strconv"
	"strings"
)

// The statements of the ceilings, one for each operation: it reads, changes or
// removes the entity if the space is the caller's. pgbench runs them as well.
// $1 is the space, $2 the entity, $3 the caller, $4 and $5 what is written.
// The ceiling of one trip has the key of the caller as $3 (keyed).
const (
	sqlKey = `SELECT user_id FROM api_keys WHERE lookup = $1 AND revoked_at IS NULL`

	sqlGet = `SELECT e.type, e.data, e.state, e.created_at, e.changed_at
		FROM entities AS e JOIN spaces AS s ON s.id = e.space_id
		WHERE e.space_id = $1 AND e.entity_id = $2 AND s.owner_id = $3`

	sqlCreate = `INSERT INTO entities AS e (space_id, entity_id, type, data)
		SELECT id, $2, $5, $4 FROM spaces WHERE id = $1 AND owner_id = $3
		ON CONFLICT (space_id, entity_id) DO UPDATE
		SET data = merge_data(e.data, EXCLUDED.data), type = EXCLUDED.type, changed_at = EXCLUDED.changed_at
		WHERE e.type NOT IN ('Gate', 'DynamicGate')
		RETURNING type, data, xmax = 0`

	sqlUpdate = `UPDATE entities AS e SET data = merge_data(e.data, $4::jsonb), changed_at = now()
		FROM spaces AS s
		WHERE e.space_id = $1 AND e.entity_id = $2 AND s.id = e.space_id AND s.owner_id = $3
		AND e.type NOT IN ('Gate', 'DynamicGate') RETURNING e.type, e.data`

	sqlDelete = `DELETE FROM entities AS e USING spaces AS s
		WHERE e.space_id = $1 AND e.entity_id = $2 AND s.id = e.space_id AND s.owner_id = $3`

	// The page starts after the sequence number $2; its size is $4.
	sqlList = `SELECT e.sequence, e.entity_id, e.type, e.data, e.state, e.created_at, e.changed_at,
			(SELECT count(*) FROM entities WHERE space_id = $1 AND entity_id <> 'RoomInfo') AS total
		FROM entities AS e JOIN spaces AS s ON s.id = e.space_id
		WHERE e.space_id = $1 AND e.entity_id <> 'RoomInfo' AND e.sequence > $2 AND s.owner_id = $3
		ORDER BY e.sequence LIMIT $4 + 1`
)

// withKeyLookup returns the statement with a lookup of the caller by API key: $3 is the SHA-256 of
// the key instead of the caller's id.
func withKeyLookup(statement string) string {
	caller := "(" + strings.Replace(sqlKey, "$1", "$3", 1) + ")"
	return strings.Replace(statement, "owner_id = $3", "owner_id = "+caller, 1)
}

func statementOf(op operation) string {
	return map[operation]string{
		opGet: sqlGet, opCreate: sqlCreate, opList: sqlList, opUpdate: sqlUpdate, opDelete: sqlDelete,
	}[op]
}

// parameter matches a placeholder. pgbench has literals in their place, because its scripts
// have no parameters of their own.
var parameter = regexp.MustCompile(`\$[0-9]`)

// script returns pgbench's script with the operation's statement. Each client uses
// entities of its own: pgbench sets client_id, and n starts at 0.
func script(w *world, op operation) string {
	number := map[operation]string{
		opGet:    "random(" + strconv.Itoa(firstRead) + ", " + strconv.Itoa(firstRead+readable-1) + ")",
		opUpdate: strconv.Itoa(firstUpdated) + " + :client_id * " + strconv.Itoa(perConnection) + " + random(0, " + strconv.Itoa(perConnection-1) + ")",
		opCreate: strconv.Itoa(firstOfPgbench) + " + :client_id * 1000000 + :n",
		opDelete: strconv.Itoa(firstOfPgbench) + " + :client_id * 1000000 + :n",
	}[op]
	set := "\\set n :n + 1\n\\set revision random(1000000, 8999999)\n"
	if number != "" {
		set += "\\set number " + number + "\n"
	}
	arguments := map[string]string{
		"$1": quote(w.space(op)), "$2": "('bench-' || :number)", "$3": quote(w.owner), "$4": quote(document), "$5": quote(entityType),
	}
	switch op {
	case opUpdate:
		arguments["$4"] = `('{"revision": ' || :revision || '}')`
	case opCreate:
		arguments["$4"] += "::jsonb"
	case opList:
		arguments["$2"], arguments["$4"] = "0", strconv.Itoa(pageSize)
	}
	statement := parameter.ReplaceAllStringFunc(statementOf(op), func(p string) string { return arguments[p] })
	return set + strings.Join(strings.Fields(statement), " ") + ";\n"
}

// quote returns a text as a literal of SQL.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
