package property

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"portico/model"
)

// scene is the state that bad input is sent into: the caller, user 0, has one of
// everything, and so has user 1, with a secret in every field.
type scene struct {
	*run
	secret string
	before string // everything of user 1
}

// The parts of furniture that create things which can be deleted.
const (
	secondSpace = 1
	firstEntity = 2
	firstCursor = 4
	ownSpaces   = 6
)

// furniture contains the things of both users; SECRET is the secret. A request can name the
// things that have a name here.
var furniture = []step{
	{Op: opCreateSpace, As: "@s1@", Form: formSpaces, Kind: "hub"},
	{Op: opCreateSpace, As: "@s2@", Form: formSpaces},
	{Op: opCreateEntity, As: "@e1@", Space: "@s1@", Data: `{"label":"mine"}`},
	{Op: opCreateEntity, Entity: "door", Space: "@s1@", Type: "DynamicGate", Data: wholeGate},
	{Op: opEntities, As: "@c1@", Space: "@s1@", Limit: "1"},
	{Op: opSpaces, As: "@c2@", Limit: "1"},
	{Op: opCreateUpload, As: "@u1@", Name: "cat.glb", Size: 10},
	{Op: opSend, Upload: "@u1@", Size: 10},
	{Op: opComplete, Upload: "@u1@", Status: "success"},
	{Op: opCreateUpload, As: "@u2@", Name: "scene.zip", Size: 10},
	{Op: opSend, Upload: "@u2@", Size: 10},
	{Op: opComplete, Upload: "@u2@", Status: "success"},
	{Op: opCreateUpload, As: "@u3@", Name: "late.glb", Size: 10},
	{User: 1, Op: opCreateSpace, As: "@s3@", Form: formSpaces, Kind: "hub", Title: ptr("SECRET"), Description: ptr("SECRET")},
	{User: 1, Op: opUpdateSpace, Space: "@s3@", Data: `{"SECRET":"SECRET"}`},
	{User: 1, Op: opCreateEntity, As: "@e3@", Space: "@s3@", Type: "SECRET", Data: `{"SECRET":"SECRET"}`},
	{User: 1, Op: opCreateEntity, Entity: "SECRET", Space: "@s3@", Type: "SECRET", Data: `{"SECRET":"SECRET"}`},
	{User: 1, Op: opUpdateEntity, Entity: staticGates[0], Space: "@s3@", Data: `{"title":"SECRET"}`},
	{User: 1, Op: opEntities, As: "@c3@", Space: "@s3@", Limit: "1"},
	{User: 1, Op: opCreateUpload, As: "@u4@", Name: "cat.glb", Size: 10},
	{User: 1, Op: opSend, Upload: "@u4@", Size: 10},
	{User: 1, Op: opComplete, Upload: "@u4@", Status: "success"},
	{User: 1, Op: opCreateUpload, As: "@u5@", Name: "scene.zip", Size: 10},
	{User: 1, Op: opSend, Upload: "@u5@", Size: 10},
	{User: 1, Op: opComplete, Upload: "@u5@", Status: "success"},
	{User: 1, Op: opCreateUpload, As: "@u6@", Name: "late.glb", Size: 10},
	{User: 1, Op: opCreateUpload, As: "@u7@", Name: "SECRET.glb", Size: 10},
	{User: 1, Op: opSend, Upload: "@u7@", Size: 10},
	{User: 1, Op: opComplete, Upload: "@u7@", Status: "success"},
	{User: 1, Op: opCreateUpload, As: "@u8@", Name: "SECRET.zip", Size: 10},
	{User: 1, Op: opSend, Upload: "@u8@", Size: 10},
	{User: 1, Op: opComplete, Upload: "@u8@", Status: "success"},
}

func ptr[T any](value T) *T { return &value }

func (s *server) scene(tb testing.TB) *scene {
	tb.Helper()
	sc := &scene{
		run:    &run{server: s, names: newNames(), presign: map[string]string{}},
		secret: "secret" + strings.ToLower(model.Token()),
	}
	sc.users[0] = s.account(tb, "alice", model.PlanPro, 1<<40)
	// Everybody may see the name of an account, and nobody the email address.
	sc.users[1] = s.account(tb, sc.secret, model.PlanPro, 1<<40)
	for _, step := range furniture {
		check(tb, sc.furnish(step))
	}
	// A request that named these would get its own words back.
	maps.DeleteFunc(sc.names.real, func(holder, real string) bool { return strings.Contains(real, sc.secret) })
	_, sc.names.real["@q3@"], _ = strings.Cut(sc.presign["@u3@"], "?")
	for _, number := range []string{"1", "3", "4", "6"} { // the keys in the store
		sc.names.real["@k"+number+"@"] = strings.TrimPrefix(sc.names.real["@u"+number+"@"], base+"/files/")
	}
	sc.before = sc.belongings()
	if strings.Count(sc.before, sc.secret) < 10 {
		tb.Fatalf("user 1 has %s, want the secret everywhere", sc.before)
	}
	return sc
}

// restock creates again what a request has deleted.
func (sc *scene) restock(steps []step) error {
	for _, step := range steps {
		delete(sc.names.real, step.As)
		if err := sc.furnish(step); err != nil {
			return err
		}
	}
	return nil
}

func (sc *scene) furnish(s step) error {
	secret := func(text string) string { return strings.ReplaceAll(text, "SECRET", sc.secret) }
	s.Door, s.Data, s.Name, s.Entity, s.Type = doorREST, secret(s.Data), secret(s.Name), secret(s.Entity), secret(s.Type)
	if s.Title != nil {
		s.Title, s.Description = ptr(secret(*s.Title)), ptr(secret(*s.Description))
	}
	response, err := sc.do(s)
	if err == nil && response.Code != "" {
		err = fmt.Errorf("%s: %s", response.Code, response.Message)
	}
	if err != nil {
		return fmt.Errorf("furnish %v: %w", s, err)
	}
	return nil
}

// belongings returns everything of user 1, as REST returns it.
func (sc *scene) belongings() string {
	var b strings.Builder
	for _, path := range []string{
		"/user/me", "/spaces", "/spaces/@s3@", "/spaces/@s3@/entities", "/spaces/@s3@/entities/RoomInfo", "/files", "/jobs", "/avatars",
	} {
		b.WriteString(sc.call(sc.users[1], "GET", sc.names.fill("/v1"+path), "").body)
	}
	b.WriteString(sc.call(sc.users[1], "GET", sc.names.fill("@u4@")[len(base):], "").body)
	return b.String()
}

// fill replaces the placeholders of a request, and adds the caller's key unless the
// request has none.
func (sc *scene) fill(q request) request {
	q.target, q.body = sc.names.fill(q.target), sc.names.fill(q.body)
	headers := make([]string, len(q.headers))
	for i, line := range q.headers {
		headers[i] = sc.names.fill(line)
	}
	q.headers = headers
	switch q.key {
	case "":
		q.key = sc.users[0].key
	case anonymous:
		q.key = ""
	}
	return q
}

// anonymous is the key of a request without a key.
const anonymous = "-"

// try sends a request and returns what is wrong with the response.
func (sc *scene) try(q request, j judge) (got response, err error) {
	q = sc.fill(q)
	got, ok, left := sc.exchange(q)
	if !ok {
		return got, nil
	}
	if !left {
		err = j(q, got)
	}
	if err == nil && (strings.Contains(got.body, sc.secret) || strings.Contains(fmt.Sprint(got.header), sc.secret)) {
		err = fmt.Errorf("the response holds the secret %s of another user", sc.secret)
	}
	if err != nil {
		err = fmt.Errorf("%w\nrequest: %v\nresponse: %d %v %q\nlog: %s", err, q, got.status, got.header, cut(got.body), sc.log.take())
	}
	return got, err
}

func cut(text string) string { return text[:min(len(text), 2000)] }

// checkUntouched reports whether the belongings of user 1 are unchanged.
func (sc *scene) checkUntouched() error {
	if now := sc.belongings(); now != sc.before {
		return fmt.Errorf("another user has\n%s\nwant\n%s", now, sc.before)
	}
	return nil
}
