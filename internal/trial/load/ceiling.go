package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"portico/db"
	"portico/model"
)

// poolSize is the size of Portico's pool (db.Options).
const poolSize = 20

// ceiling is a server that is written by hand for the same five operations and for
// nothing else: net/http's own router, one prepared statement for the key and one for the
// operation, and answers put together from the bytes that Postgres sends. It refuses the
// same requests as Portico, with a status alone; it has no limits, log, request ids, CORS
// or GraphQL.
type ceiling struct {
	pool *pgxpool.Pool
}

// serveCeiling serves until the process is stopped.
func serveCeiling() error {
	// The same address and the same size as Portico's pool, so that both wait for
	// connections alike.
	address, err := db.PoolURL(os.Getenv(envDatabase))
	if err != nil {
		return err
	}
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return err
	}
	config.MaxConns = poolSize
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return err
	}
	return serve((&ceiling{pool: pool}).handler())
}

// handler returns the router of the five operations.
func (c *ceiling) handler() http.Handler {
	const entities = "/v1/spaces/{space}/entities"
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+entities, c.answer(c.list))
	mux.HandleFunc("POST "+entities, c.answer(c.create))
	mux.HandleFunc("GET "+entities+"/{entity}", c.answer(c.get))
	mux.HandleFunc("PUT "+entities+"/{entity}", c.answer(c.update))
	mux.HandleFunc("DELETE "+entities+"/{entity}", c.answer(c.remove))
	return mux
}

// answer looks up the caller by the key and writes what an operation appends.
func (c *ceiling) answer(do func(r *http.Request, user string) (int, []byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, body := http.StatusUnauthorized, []byte(nil)
		user, err := c.caller(r)
		if err == nil {
			status, body, err = do(r, user)
		}
		// The cheapest answers that still refuse the same requests: the status, and one
		// constant body.
		switch {
		case errors.Is(err, pgx.ErrNoRows): // no such key, space or entity
			if user != "" {
				status = http.StatusNotFound
			}
			body = []byte(`{"status":"error"}`)
		case err != nil:
			status, body = http.StatusInternalServerError, []byte(`{"status":"error"}`)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = w.Write(body) // fails when the client has gone
	}
}

// caller looks up the key in the database for each request, as Portico does.
func (c *ceiling) caller(r *http.Request) (user string, err error) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	lookup := sha256.Sum256([]byte(key))
	err = c.pool.QueryRow(r.Context(), sqlKey, lookup[:]).Scan(&user)
	return user, err
}

// get answers GET of an entity.
func (c *ceiling) get(r *http.Request, user string) (int, []byte, error) {
	e := record{id: r.PathValue("entity")}
	err := c.pool.QueryRow(r.Context(), sqlGet, r.PathValue("space"), e.id, user).
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

// create answers POST: 201 for a new entity, 200 for a merge into one that exists.
func (c *ceiling) create(r *http.Request, user string) (int, []byte, error) {
	in, err := read(r)
	if err != nil {
		return 0, nil, err
	}
	e, created := record{id: in.ID}, false
	err = c.pool.QueryRow(r.Context(), sqlCreate, r.PathValue("space"), in.ID, user, in.Data, in.Kind).
		Scan(&e.kind, &e.data, &created)
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return status, e.appendChanged(), err
}

// update answers PUT with the merged entity.
func (c *ceiling) update(r *http.Request, user string) (int, []byte, error) {
	in, err := read(r)
	if err != nil {
		return 0, nil, err
	}
	e := record{id: r.PathValue("entity")}
	err = c.pool.QueryRow(r.Context(), sqlUpdate, r.PathValue("space"), e.id, user, in.Data).Scan(&e.kind, &e.data)
	return http.StatusOK, e.appendChanged(), err
}

// remove answers DELETE. No row means that the entity is missing or not the caller's.
func (c *ceiling) remove(r *http.Request, user string) (int, []byte, error) {
	done, err := c.pool.Exec(r.Context(), sqlDelete, r.PathValue("space"), r.PathValue("entity"), user)
	if err == nil && done.RowsAffected() == 0 {
		err = pgx.ErrNoRows
	}
	return http.StatusOK, []byte(`{"status":"ok","data":{"message":"Entity deleted"}}` + "\n"), err
}

// list answers GET of a page. The statement reads one row more than the page has, which
// shows whether there is a next page.
func (c *ceiling) list(r *http.Request, user string) (int, []byte, error) {
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		return 0, nil, err
	}
	rows, err := c.pool.Query(r.Context(), sqlList, r.PathValue("space"), 0, user, limit)
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
	return http.StatusOK, append(b, "}}\n"...), rows.Err()
}
