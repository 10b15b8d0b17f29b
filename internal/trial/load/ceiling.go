package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"portico/db/dial"
	"portico/model"
)

// poolSize is the size of Portico's pool (db.Options).
const poolSize = 20

// ceiling is a server that is written by hand for the same five operations and for
// nothing else: net/http's own router, prepared statements, and responses put together from
// the bytes that Postgres sends. It refuses the same requests as Portico, with a status
// alone; it has no limits, log, request ids, CORS or GraphQL.
type ceiling struct {
	pool       *pgxpool.Pool
	statements map[operation]string
	// oneTrip means that the statement of the operation finds the caller by the key.
	// Otherwise a statement of its own does so before it.
	oneTrip bool
	// remembered has the callers by their keys where keys are remembered, and never forgets one;
	// nil elsewhere.
	remembered *sync.Map
}

// serveCeiling serves as one of the hand-written contenders until the process is stopped.
func serveCeiling(name string) error {
	// The same address and the same size as Portico's pool, so that both wait for
	// connections alike.
	pool, err := dial.OpenQueue(context.Background(), os.Getenv(envDatabase), poolSize)
	if err != nil {
		return err
	}
	return serve(newCeiling(pool, name).handler())
}

// newCeiling returns the ceiling of a name with its statements.
func newCeiling(pool *pgxpool.Pool, name string) *ceiling {
	c := &ceiling{pool: pool, statements: map[operation]string{}, oneTrip: name == nameOneTrip}
	if name == namePlain {
		c.remembered = new(sync.Map)
	}
	for _, op := range operations() {
		switch name {
		case nameOneTrip:
			c.statements[op] = withKeyLookup(statementOf(op))
		case namePlain:
			c.statements[op] = onPlainTables(statementOf(op))
		default:
			c.statements[op] = statementOf(op)
		}
	}
	return c
}

// handler returns the router of the five operations.
func (c *ceiling) handler() http.Handler {
	const entities = "/v1/spaces/{space}/entities"
	mux := http.NewServeMux()
	for pattern, do := range map[string]carryOut{
		"GET " + entities:                  c.list,
		"POST " + entities:                 c.create,
		"GET " + entities + "/{entity}":    c.get,
		"PUT " + entities + "/{entity}":    c.update,
		"DELETE " + entities + "/{entity}": c.remove,
	} {
		mux.HandleFunc(pattern, c.respond(do))
	}
	return mux
}

// carryOut carries out an operation for the caller, who is a user's id or the SHA-256 of a
// key, and returns the status and the body of the response.
type carryOut func(r *http.Request, caller any) (int, []byte, error)

// respond writes what an operation returns.
func (c *ceiling) respond(do carryOut) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, body, err := c.perform(r, do)
		// The cheapest responses that still refuse the same requests: the status, and one
		// constant body.
		switch {
		case errors.Is(err, errUnknownKey):
			status, body = http.StatusUnauthorized, []byte(`{"status":"error"}`)
		case errors.Is(err, pgx.ErrNoRows): // no such space or entity
			status, body = http.StatusNotFound, []byte(`{"status":"error"}`)
		case err != nil:
			status, body = http.StatusInternalServerError, []byte(`{"status":"error"}`)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body) // fails when the client has gone
	}
}

// perform carries out the operation of a request. In one trip, a statement without a result
// does not say why it has none: only then is the key looked up.
func (c *ceiling) perform(r *http.Request, do carryOut) (status int, body []byte, err error) {
	key := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
	if c.oneTrip {
		status, body, err = do(r, key[:])
		if errors.Is(err, pgx.ErrNoRows) {
			if _, keyErr := c.caller(r.Context(), key); keyErr != nil {
				err = keyErr
			}
		}
		return status, body, err
	}
	caller, err := c.caller(r.Context(), key)
	if err != nil {
		return 0, nil, err
	}
	return do(r, caller)
}

// errUnknownKey means that a key is unknown or revoked.
var errUnknownKey = errors.New("unknown key")

// caller looks up the account that the key belongs to.
func (c *ceiling) caller(ctx context.Context, key [sha256.Size]byte) (user string, err error) {
	if c.remembered != nil {
		if known, ok := c.remembered.Load(key); ok {
			return known.(string), nil
		}
		defer func() {
			if err == nil {
				c.remembered.Store(key, user)
			}
		}()
	}
	err = c.pool.QueryRow(ctx, sqlKey, key[:]).Scan(&user)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errUnknownKey
	}
	return user, err
}

// get handles GET of an entity.
func (c *ceiling) get(r *http.Request, caller any) (int, []byte, error) {
	e := record{id: r.PathValue("entity")}
	err := c.pool.QueryRow(r.Context(), c.statements[opGet], r.PathValue("space"), e.id, caller).
		Scan(&e.kind, &e.data, &e.state, &e.created, &e.changed)
	return http.StatusOK, e.appendTo([]byte(`{"status":"ok","data":`), "}\n"), err
}

// sent is the body of a create or an update.
type sent struct {
	ID   string          `json:"entity_id"`
	Kind string          `json:"entity_type"`
	Data json.RawMessage `json:"entity_data"`
}

// read decodes the body of a request, up to the size that Portico accepts.
func read(r *http.Request) (s sent, err error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, 1<<20))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(body, &s)
}

// create handles POST: 201 for a new entity, 200 for a merge into one that exists.
func (c *ceiling) create(r *http.Request, caller any) (int, []byte, error) {
	in, err := read(r)
	if err != nil {
		return 0, nil, err
	}
	e, created := record{id: in.ID}, false
	err = c.pool.QueryRow(r.Context(), c.statements[opCreate], r.PathValue("space"), in.ID, caller, in.Data, in.Kind).
		Scan(&e.kind, &e.data, &created)
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return status, e.appendChanged(), err
}

// update responds to PUT with the merged entity.
func (c *ceiling) update(r *http.Request, caller any) (int, []byte, error) {
	in, err := read(r)
	if err != nil {
		return 0, nil, err
	}
	e := record{id: r.PathValue("entity")}
	err = c.pool.QueryRow(r.Context(), c.statements[opUpdate], r.PathValue("space"), e.id, caller, in.Data).Scan(&e.kind, &e.data)
	return http.StatusOK, e.appendChanged(), err
}

// remove handles DELETE. No row means that the entity is missing or not the caller's.
func (c *ceiling) remove(r *http.Request, caller any) (int, []byte, error) {
	done, err := c.pool.Exec(r.Context(), c.statements[opDelete], r.PathValue("space"), r.PathValue("entity"), caller)
	if err == nil && done.RowsAffected() == 0 {
		err = pgx.ErrNoRows
	}
	return http.StatusOK, []byte(`{"status":"ok","data":{"message":"Entity deleted"}}` + "\n"), err
}

// list handles GET of a page. The statement reads one row more than the page has, which
// shows whether there is a next page.
func (c *ceiling) list(r *http.Request, caller any) (int, []byte, error) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		return 0, nil, err
	}
	rows, err := c.pool.Query(r.Context(), c.statements[opList], r.PathValue("space"), 0, caller, limit)
	if err != nil {
		return 0, nil, err
	}
	defer rows.Close()
	// One allocation for the whole page: an entity with its document has less than 2 KB.
	b, n, total := make([]byte, 0, 2048*limit), 0, 0
	b = append(b, `{"status":"ok","data":{"entities":[`...)
	var last, sequence int64
	for rows.Next() {
		if n++; n > limit {
			break
		}
		var e record
		if err := rows.Scan(&sequence, &e.id, &e.kind, &e.data, &e.state, &e.created, &e.changed, &total); err != nil {
			return 0, nil, err
		}
		if last = sequence; n > 1 {
			b = append(b, ',')
		}
		b = e.appendTo(b, "")
	}
	// No space of the benchmark is empty, so nothing found means that the space is not the
	// caller's.
	if err := rows.Err(); err != nil || n == 0 {
		return 0, nil, cmp.Or(err, pgx.ErrNoRows)
	}
	b = append(b, `],"count":`...)
	b = strconv.AppendInt(b, int64(min(n, limit)), 10)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, int64(total), 10)
	b = append(b, `,"nextCursor":`...)
	if n > limit {
		b = strconv.AppendQuote(b, model.Cursor(last))
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"hasMore":`...)
	b = strconv.AppendBool(b, n > limit)
	return http.StatusOK, append(b, "}}\n"...), nil
}
