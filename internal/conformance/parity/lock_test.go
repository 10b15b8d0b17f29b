package parity

import (
	"errors"
	"net/url"

	"portico/internal/testkit/api"
	"portico/model"
)

// lockForm is the lock of a space without its time. Name is empty for none.
type lockForm struct{ Name, Token string }

// lockRows returns the rows about locks of spaces.
func lockRows() []row {
	const chair = `{"type":"Thing","data":{}}`
	change := func(p pair, hub string) error {
		_, err := p.alice.applyChanges(hub, "space/entities/chair.json", chair, "", false)
		return err
	}
	return []row{
		{"lock space", func(p pair) (any, error) {
			hub := p.hub()
			held, err := p.alice.lockSpace(hub, "Blender", 60, "")
			p.must(held, err)
			again, err := p.alice.lockSpace(hub, "Blender 5", 3600, held.Token)
			p.must(again, err)
			_, other := p.alice.lockSpace(hub, "Other", 60, "")
			return []any{held.Name, again.Name, held.Token == again.Token, codeOf(other), codeOf(change(p, hub))}, nil
		}},
		{"lock space with a wrong time", func(p pair) (any, error) { return p.alice.lockSpace(p.hub(), "Blender", 9, "") }},
		{"lock space without a name", func(p pair) (any, error) { return p.alice.lockSpace(p.hub(), "", 60, "") }},
		{"lock space of another user", func(p pair) (any, error) { return p.bob.lockSpace(p.hub(), "Blender", 60, "") }},
		{"lock space unknown", func(p pair) (any, error) { return p.alice.lockSpace("10000000_x", "Blender", 60, "") }},
		{"unlock space", func(p pair) (any, error) {
			hub := p.hub()
			held, err := p.alice.lockSpace(hub, "Blender", 60, "")
			p.must(held, err)
			_, wrong := p.alice.unlockSpace(hub, "wrong", false)
			free, err := p.alice.unlockSpace(hub, held.Token, false)
			p.must(free, err)
			return []any{codeOf(wrong), free.Name, codeOf(change(p, hub))}, nil
		}},
		{"unlock space by force", func(p pair) (any, error) {
			hub := p.hub()
			held, err := p.alice.lockSpace(hub, "Blender", 60, "")
			p.must(held, err)
			return p.alice.unlockSpace(hub, "", true)
		}},
		{"unlock space of another user", func(p pair) (any, error) { return p.bob.unlockSpace(p.hub(), "", true) }},
	}
}

// codeOf returns the code of a refusal, whose message has a time; "" for nil.
func codeOf(err error) model.Code {
	if refusal, ok := errors.AsType[*api.Refusal](err); ok {
		return refusal.Code
	}
	return ""
}

func (d restDoor) lockSpace(id, name string, seconds int, token string) (lockForm, error) {
	var got struct {
		Lock  struct{ Name string }
		Token string `json:"lock_token"`
	}
	body := map[string]any{"name": name, "seconds": seconds, "lock_token": token}
	_, err := d.REST("POST", "/spaces/"+url.PathEscape(id)+"/lock", body, &got)
	return lockForm{got.Lock.Name, got.Token}, err
}

func (d restDoor) unlockSpace(id, token string, force bool) (lockForm, error) {
	query := url.Values{"lock": {token}}
	if force {
		query.Set("force", "1")
	}
	var got struct{ Lock *struct{ Name string } }
	_, err := d.REST("DELETE", "/spaces/"+url.PathEscape(id)+"/lock?"+query.Encode(), nil, &got)
	if got.Lock == nil {
		return lockForm{}, err
	}
	return lockForm{Name: got.Lock.Name}, err
}

// lockedSpace is a payload of GraphQL or the response of a tool.
type lockedSpace struct {
	Space struct{ Lock *model.SpaceLock }
	Lock  *model.SpaceLock
	Token string `json:"lock_token"`
	// LockToken is Token in GraphQL.
	LockToken string
}

func (s lockedSpace) form() lockForm {
	form := lockForm{Token: s.Token + s.LockToken}
	for _, lock := range []*model.SpaceLock{s.Lock, s.Space.Lock} {
		if lock != nil {
			form.Name = lock.Name
		}
	}
	return form
}

func (d graphDoor) lockSpace(id, name string, seconds int, token string) (lockForm, error) {
	var got lockedSpace
	err := d.GraphQL(`mutation($in: LockSpaceInput!) { lockSpace(input: $in) { space { lock { name } } lockToken } }`,
		map[string]any{"in": map[string]any{"spaceId": id, "name": name, "seconds": seconds, "lockToken": token}}, &got)
	return got.form(), err
}

func (d graphDoor) unlockSpace(id, token string, force bool) (lockForm, error) {
	var got lockedSpace
	err := d.GraphQL(`mutation($in: UnlockSpaceInput!) { unlockSpace(input: $in) { space { id lock { name } } } }`,
		map[string]any{"in": map[string]any{"spaceId": id, "lockToken": token, "force": force}}, &got)
	return got.form(), err
}

func (d mcpDoor) lockSpace(id, name string, seconds int, token string) (lockForm, error) {
	var got lockedSpace
	err := d.Tool("lock_space", map[string]any{"spaceId": id, "name": name, "seconds": seconds, "lock_token": token}, &got)
	return got.form(), err
}

func (d mcpDoor) unlockSpace(id, token string, force bool) (lockForm, error) {
	var got lockedSpace
	err := d.Tool("unlock_space", map[string]any{"spaceId": id, "lock_token": token, "force": force}, &got)
	return got.form(), err
}
