package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// client is an account at a server. It does what real clients do where an answer
// does not come: it asks again.
type client struct {
	*world
	url string
	id  string
	key string
	// calm says that the server has no reason to fail: an answer of 500 or 503 is
	// one to complain of. Broken connections are not, where it is killed.
	calm bool
}

// at returns the client of the same account at a server.
func (c *client) at(s *service, calm bool) *client {
	moved := *c
	moved.url, moved.calm = s.url, calm
	return &moved
}

// answer is what a server said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// attemptLimit is how long one request may take: longer than the server waits for
// a database that is silent.
const attemptLimit = 40 * time.Second

// once sends one request and reads the whole answer; one that breaks off is an
// error, as is one that takes longer than attemptLimit.
func (c *client) once(ctx context.Context, method, address string, header http.Header, body []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return answer{}, err
	}
	read, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return answer{}, err
	}
	return answer{response.StatusCode, response.Header, read}, nil
}

// send sends a request until it is answered by something else than trouble. That
// is right for all that Portico offers: what is done twice is the same as once, or
// leaves one thing more, such as a space, of which the client uses the last. An
// answer of 507 tells of a full disk, which no repetition makes room on.
func (c *client) send(ctx context.Context, method, address string, header http.Header, body []byte) (answer, error) {
	for {
		got, err := c.once(ctx, method, address, header, body)
		switch {
		case ctx.Err() != nil:
			return answer{}, fmt.Errorf("%s %s: %w", method, trimmed(address), errors.Join(ctx.Err(), err))
		case err != nil:
			c.add("broken requests", 1)
		case got.status < http.StatusInternalServerError || got.status == http.StatusInsufficientStorage:
			return got, nil
		default:
			c.add("refused requests", 1)
			if strings.HasPrefix(address, c.url) {
				c.checkTrouble(method+" "+trimmed(address), got)
			}
		}
		if err := pause(ctx, c.between(100*time.Millisecond, 700*time.Millisecond)); err != nil {
			return answer{}, err
		}
	}
}

// trimmed returns an address without what is secret in it.
func trimmed(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}

// checkTrouble complains of an answer of 500 or more that no client should get.
func (c *client) checkTrouble(what string, got answer) {
	if c.calm {
		c.complain("%s: %d %s, and nothing was broken but connections", what, got.status, got.body)
	}
	if why := unclean(got); why != "" {
		c.complain("%s: %s: %d %q", what, why, got.status, got.body)
	}
}

// unclean says what is wrong with an answer to a request that failed for trouble
// of the server's; "" for nothing. It must be JSON that tells of trouble and no
// more.
func unclean(got answer) string {
	if !slices.Contains([]int{http.StatusInternalServerError, http.StatusServiceUnavailable}, got.status) {
		return "neither 500 nor 503"
	}
	var envelope struct {
		Status, Message string
		Errors          []struct{ Message string }
	}
	if err := json.Unmarshal(got.body, &envelope); err != nil {
		return "no JSON"
	}
	if (envelope.Status != "error" || envelope.Message == "") && len(envelope.Errors) == 0 {
		return "no error in it"
	}
	// None of our own texts has one of these words.
	for _, internal := range []string{"dial", "EOF", "SQL", "connection", "timeout", "deadline", "127.0.0.1"} {
		if strings.Contains(string(got.body), internal) {
			return "it tells of internals"
		}
	}
	return ""
}

// call calls the API with a JSON body, or none for nil, and reads the data of the
// envelope into v, unless that is nil. Another status than those that are wanted is
// an error.
func (c *client) call(ctx context.Context, method, path string, body, v any, want ...int) error {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return err
		}
	}
	got, err := c.send(ctx, method, c.url+path, c.header(), content)
	if err != nil {
		return err
	}
	if !slices.Contains(want, got.status) {
		return errStatus{got.status, fmt.Sprintf("%s %s: got %d %s, want %v", method, path, got.status, got.body, want)}
	}
	if v == nil {
		return nil
	}
	envelope := struct{ Data any }{v}
	if err := json.Unmarshal(got.body, &envelope); err != nil {
		return fmt.Errorf("%s %s: read %s: %w", method, path, got.body, err)
	}
	return nil
}

// errStatus is an answer that was not wanted.
type errStatus struct {
	status int
	text   string
}

// Error says what was asked for, and what the answer was.
func (e errStatus) Error() string { return e.text }

// header returns what every request to the API carries.
func (c *client) header() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + c.key}}
}
