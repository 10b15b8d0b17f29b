package main

import (
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// serveEcho responds from memory, with responses as long as the other contenders'.
// Its cost is the cost of net/http and of the client.
func serveEcho() error {
	record := `{"status":"ok","data":{"entity_id":"bench","entity_data":` + document + `}}` + "\n"
	list := `{"status":"ok","data":{"entities":[` + strings.Repeat(record+",", pageSize-1) + record + `]}}` + "\n"
	return serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the client sees what fails
		body, status := record, http.StatusOK
		switch {
		case r.URL.RawQuery != "":
			body = list
		case r.Method == http.MethodPost:
			status = http.StatusCreated
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // as above
	}))
}

// serve runs a child's server until the child is stopped.
func serve(handler http.Handler) error {
	s := &http.Server{Addr: os.Getenv(envAddress), Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	return s.ListenAndServe()
}
