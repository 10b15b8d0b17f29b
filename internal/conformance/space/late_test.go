package space_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"portico/internal/testkit/browser"
)

// Visitors open a space while no worker runs, so that the start of its capture is found late.
func TestSpace_leads_visitors_to_a_start_that_is_found_late(t *testing.T) {
	t.Parallel()
	scripts := browser.New(t, browser.Options{Name: "space", Scripts: "node"})
	s := newServerWithoutWorker(t)
	s.scripts = scripts
	space := s.newSpace("A room", "infinite", s.upload("room.ply", newRoom()))
	opened, visited := make(chan struct{}), make(chan struct{})
	wake := sync.OnceFunc(func() { close(opened) })
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { wake() }))
	t.Cleanup(server.Close)
	go func() {
		defer close(visited)
		s.visit(t, "late.mjs", map[string]any{"space": space, "wake": server.URL})
	}()
	select {
	case <-opened:
		s.world.StartWorker(t)
		<-visited
	case <-visited:
	}
}
