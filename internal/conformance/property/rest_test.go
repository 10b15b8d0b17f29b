package property

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
)

// run is a running sequence: two accounts at a server.
type run struct {
	*server
	users   [2]account
	names   names
	presign map[string]string // upload addresses with their queries, by placeholder
}

// do carries out a step at the server.
func (r *run) do(s step) (reply, error) {
	if s.Op == opSend {
		return r.sendBytes(s)
	}
	if s.Door == doorGraphQL {
		return r.graphQL(s)
	}
	return r.rest(s)
}

// sendBytes sends the announced bytes to the presigned address.
func (r *run) sendBytes(s step) (reply, error) {
	address, ok := r.presign[s.Upload]
	if !ok {
		address = r.names.fill(s.Upload)
	}
	request := httptest.NewRequest(http.MethodPut, address, strings.NewReader(strings.Repeat("x", int(s.Size))))
	request.Header.Set("Content-Type", "application/octet-stream")
	return reply{Data: sentForm{r.send(request).status}}, nil
}

// codeOf is the code of a status (API section 7).
var codeOf = map[int]string{400: invalid, 403: forbidden, 404: notFound, 413: tooLarge, 507: overQuota}

// rest sends the step to the API and reads the response.
func (r *run) rest(s step) (reply, error) {
	prefix := "/v1"
	if s.API {
		prefix = "/api/v1"
	}
	method, path, body := restRequest(s)
	got := r.call(r.users[s.User], method, r.names.fill(prefix+path), r.names.fill(body))
	response := reply{Status: got.status}
	var envelope struct {
		Status, Message string
		Data            json.RawMessage
	}
	if err := json.Unmarshal([]byte(got.body), &envelope); err != nil {
		return response, fmt.Errorf("read %d %s: %w", got.status, got.body, err)
	}
	if got.status >= 400 {
		response.Code, response.Message = codeOf[got.status], envelope.Message
		if response.Code == "" || envelope.Status != "error" || envelope.Message == "" {
			return response, fmt.Errorf("unexpected response: %d %s", got.status, got.body)
		}
		return response, nil
	}
	if want := restStatus(s, got.status, envelope.Data); envelope.Status != want {
		return response, fmt.Errorf("envelope: got %s, want status %q", got.body, want)
	}
	var err error
	response.Data, err = r.readREST(s, prefix, envelope.Data)
	return response, err
}

// restStatus returns the status that the envelope must have.
func restStatus(s step, status int, data json.RawMessage) string {
	switch {
	case status == http.StatusAccepted:
		return "processing"
	case s.Op == opComplete && data != nil:
		return "confirmed"
	}
	return "ok"
}
