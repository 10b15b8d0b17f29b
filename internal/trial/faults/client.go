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

// client is an account at a server. Like real clients, it sends a request again when no
// response comes.
//
// Every request therefore happens at least once, and perhaps more often: the bytes of an upload may
// be stored twice, and a space created twice. A scenario passes if the server bears that.
type client struct {
	*world
	url string
	id  string
	key string
	// strict marks a client of a server that has no reason to fail: a response of 500 or
	// 503 is a complaint. A broken connection is not, because the server may have been
	// killed.
	strict bool
}

// at returns the client of the same account at a server.
func (c *client) at(s *service, strict bool) *client {
	moved := *c
	moved.url, moved.strict = s.url, strict
	return &moved
}

// response is what a server sent, with its whole body.
type response struct {
	status int
	header http.Header
	body   []byte
	// repeated reports that an earlier attempt got no response, or a fault for a response. It
	// may have had its effect all the same.
	repeated bool
}

// attemptLimit is how long one request may take: longer than the server waits for a
// silent database.
const attemptLimit = 40 * time.Second

// once sends one request and reads the whole response. A broken response, or one that takes
// longer than attemptLimit, is an error.
func (c *client) once(ctx context.Context, method, address string, header http.Header, body []byte) (response, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	defer c.checkWait(method+" "+withoutQuery(address), time.Now())
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return response{}, err
	}
	request.Header = header
	got, err := http.DefaultClient.Do(request)
	if err != nil {
		return response{}, err
	}
	read, err := io.ReadAll(got.Body)
	if err := errors.Join(err, got.Body.Close()); err != nil {
		return response{}, err
	}
	return response{status: got.StatusCode, header: got.Header, body: read}, nil
}

// checkWait reports a request that took longer than the limit of the world.
func (c *client) checkWait(request string, start time.Time) {
	took := time.Since(start)
	if c.requestLimit == 0 {
		return
	}
	c.recordMax("longest request in ms", int(took.Milliseconds()))
	if took > c.requestLimit {
		c.addViolation("%s took %v", request, took.Round(time.Millisecond))
	}
}

// send repeats a request until the response is not a fault. Every operation of Portico may be
// repeated: the second time changes nothing, or creates another thing, such as a space, and the
// client uses the last one. A response of 507 is not repeated, because a repetition makes no room
// on a full disk.
//
// It counts as broken a request without a response and as refused one with a response from 500 on,
// whose body checkTrouble reads if it is the server's; an S3 server may say what it likes. The
// pauses between attempts are random, so that clients do not return in step.
func (c *client) send(ctx context.Context, method, address string, header http.Header, body []byte) (response, error) {
	for attempt := 1; ; attempt++ {
		got, err := c.once(ctx, method, address, header, body)
		got.repeated = attempt > 1
		switch {
		case ctx.Err() != nil:
			return response{}, fmt.Errorf("%s %s: %w", method, withoutQuery(address), errors.Join(ctx.Err(), err))
		case err != nil:
			c.add("broken requests", 1)
		case got.status < http.StatusInternalServerError || got.status == http.StatusInsufficientStorage:
			return got, nil
		default:
			c.add("refused requests", 1)
			if strings.HasPrefix(address, c.url) {
				c.checkTrouble(method+" "+withoutQuery(address), got)
			}
		}
		if err := pause(ctx, c.between(100*time.Millisecond, 700*time.Millisecond)); err != nil {
			return response{}, err
		}
	}
}

// withoutQuery returns an address without its query, which contains secrets.
func withoutQuery(address string) string {
	address, _, _ = strings.Cut(address, "?")
	return address
}

// checkTrouble reports a response from 500 on that no client should get.
func (c *client) checkTrouble(request string, got response) {
	if c.strict {
		c.addViolation("%s: %d %s, and nothing was broken but connections", request, got.status, got.body)
	}
	if why := faultOfResponse(got); why != "" {
		c.addViolation("%s: %s: %d %q", request, why, got.status, got.body)
	}
}

// faultOfResponse returns what is wrong with the response to a request that failed on the server,
// or "". The response must be JSON that reports the error and nothing internal.
//
// REST reports an error in its envelope, GraphQL in a list of errors:
//
//	{"status": "error", "message": …}
//	{"errors": [{"message": …}], …}
func faultOfResponse(got response) string {
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
	if showsInternals(got.body) {
		return "it shows internals"
	}
	return ""
}

// showsInternals reports whether an error has a word that none of our own texts has.
func showsInternals(body []byte) bool {
	words := []string{"dial", "EOF", "SQL", "connection", "timeout", "deadline", "127.0.0.1"}
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(body, []byte(word)) })
}

// call calls the API with a JSON body, or none for nil, and reads the data of the
// envelope into v, unless that is nil. It returns an error for every status except the
// wanted ones.
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

// errStatus is a response with an unexpected status.
type errStatus struct {
	status int
	text   string
}

// Error names the request and its response.
func (e errStatus) Error() string { return e.text }

// header returns the headers of every request to the API.
func (c *client) header() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + c.key}}
}
