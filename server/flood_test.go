package server_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/api"
	"portico/internal/testkit/world"
	"portico/model"
)

// slowBody is a request whose body has arrived in part.
type slowBody struct {
	net.Conn
	rest string
}

// post is a POST that is sent slowly, from an address and with a key, or without one.
type post struct{ path, key, address, contentType, body string }

// beginBody sends a request, with the first half of its body once the server reads it.
func beginBody(t *testing.T, w world.World, p post) slowBody {
	t.Helper()
	host := strings.TrimPrefix(w.BaseURL(), "http://")
	conn, err := net.Dial("tcp", host)
	check(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // the server may have closed it
	check(t, conn.SetDeadline(time.Now().Add(2*time.Minute)))
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n"+
		"Accept: application/json, text/event-stream\r\nExpect: 100-continue\r\n", p.path, host, p.address, p.contentType, len(p.body))
	if p.key != "" {
		head += "Authorization: Bearer " + p.key + "\r\n"
	}
	_, err = io.WriteString(conn, head+"\r\n")
	check(t, err)
	const proceed = "HTTP/1.1 100 Continue\r\n\r\n"
	answer := make([]byte, len(proceed))
	_, err = io.ReadFull(conn, answer)
	check(t, err)
	if string(answer) != proceed {
		t.Fatalf("%s: got %q before the body, want %q", p.path, answer, proceed)
	}
	_, err = io.WriteString(conn, p.body[:len(p.body)/2])
	check(t, err)
	return slowBody{conn, p.body[len(p.body)/2:]}
}

// finish sends the rest of the body and returns the status and the content of the response.
func (b slowBody) finish(t *testing.T) (status int, content string) {
	t.Helper()
	_, _ = io.WriteString(b, b.rest) // fails if the server gave the body up: the response tells
	response, err := http.ReadResponse(bufio.NewReader(b), nil)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }() // it was read
	read, err := io.ReadAll(response.Body)
	check(t, err)
	return response.StatusCode, string(read)
}

// flood sends 64 bodies of 64 KiB without their ends, and returns when the server has given up many.
func flood(t *testing.T, w world.World, path, contentType string) {
	t.Helper()
	const bodies, givenUp = 64, 20
	host := strings.TrimPrefix(w.BaseURL(), "http://")
	request := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		path, host, contentType, 64<<10, strings.Repeat("x", 65_000))
	answered := make(chan struct{}, bodies)
	for range bodies {
		conn, err := net.Dial("tcp", host)
		check(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		check(t, conn.SetDeadline(time.Now().Add(5*time.Minute)))
		go func() {
			_, _ = io.WriteString(conn, request) // fails if the server has given it up
			_, _ = conn.Read(make([]byte, 1))    // returns when the server answers or resets
			answered <- struct{}{}
		}()
	}
	timeout := time.After(time.Minute)
	for range givenUp {
		select {
		case <-answered:
		case <-timeout:
			t.Fatalf("a flood of %s: the server gives nothing up", path)
		}
	}
}

// A stranger sends unfinished forms and documents without an end. The slow bodies of those who have
// a key arrive even from the stranger's address, and so do the forms of other strangers.
func TestFlood_of_unfinished_bodies_drops_no_body_of_others(t *testing.T) {
	t.Parallel()
	w := world.Start(t, "--trusted-proxies=127.0.0.1/32")
	client := func(name string) *api.Client {
		return w.NewClient(t, model.CreateUser{Email: name + "@example.com", Name: name, Plan: model.PlanFree, Quota: 100e6})
	}
	const (
		floods, other = "192.0.2.1", "198.51.100.7"
		asJSON        = "application/json"
		asForm        = "application/x-www-form-urlencoded"
	)
	known, unseen := client("alice"), client("bob")
	known.Call(http.MethodGet, "/v1/user/me", nil).Want(http.StatusOK, nil)
	alice, bob := known.Key, unseen.Key
	space := `{"title":"` + strings.Repeat("slow", 20) + `"}`
	padding := strings.Repeat(" ", 60_000)
	type row struct {
		name   string
		post   post
		status int
		want   string
	}
	rows := []row{
		{"a space, with a new key", post{"/v1/spaces", bob, floods, asJSON, space}, http.StatusCreated, "slow"},
		{"a space, with a known key", post{"/v1/spaces", alice, floods, asJSON, space}, http.StatusCreated, "slow"},
		{"a longer one", post{"/v1/spaces", alice, floods, asJSON, space + padding}, http.StatusCreated, "slow"},
		{"a document", post{"/graphql", alice, floods, asJSON, `{"query":"{viewer{id}}"}` + padding}, http.StatusOK, "viewer"},
		{"a message of an agent", post{"/v1/mcp", alice, floods, asJSON, `{"jsonrpc":"2.0","id":7,"method":"ping"}` + padding}, http.StatusOK, `"id":7`},
		{"a form of another stranger", post{"/token", "", other, asForm, "grant_type=unheard&padding=" + strings.Repeat("x", 60_000)}, http.StatusBadRequest, "unsupported_grant_type"},
	}
	var slow []slowBody
	for _, r := range rows {
		slow = append(slow, beginBody(t, w, r.post))
	}
	flood(t, w, "/token", asForm)
	flood(t, w, "/graphql", asJSON)
	for i, r := range rows {
		if status, content := slow[i].finish(t); status != r.status || !strings.Contains(content, r.want) {
			t.Errorf("%s: got %d %.300s, want %d with %s", r.name, status, content, r.status, r.want)
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
