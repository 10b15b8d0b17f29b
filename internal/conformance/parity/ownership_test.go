package parity

import (
	"errors"
	"testing"

	"portico/internal/testkit/api"
	"portico/model"
)

// things are what alice owns in TestOwnership.
type things struct{ space, entity, file, job string }

// ownedOperations are the operations on things with an owner, by name, with the code for a caller who
// is another account. Those that delete the thing are last.
func ownedOperations() []struct {
	name     string
	stranger model.Code
	call     func(d door, own things) error
} {
	const room = `{"type":"Simple","data":{}}`
	return []struct {
		name     string
		stranger model.Code
		call     func(d door, own things) error
	}{
		{"space", model.CodeForbidden, func(d door, own things) error { _, err := d.space(own.space); return err }},
		{"update space", model.CodeForbidden, func(d door, own things) error {
			_, err := d.updateSpace(own.space, "New", "Newer")
			return err
		}},
		{"update privacy", model.CodeForbidden, func(d door, own things) error { return d.updatePrivacy(own.space, model.Private) }},
		{"screenshot", model.CodeForbidden, func(d door, own things) error { return d.screenshot(own.space, 1) }},
		{"entity", model.CodeForbidden, func(d door, own things) error { _, err := d.entity(own.space, own.entity); return err }},
		{"entities", model.CodeForbidden, func(d door, own things) error { _, err := d.entities(own.space, 10, ""); return err }},
		{"create entity", model.CodeForbidden, func(d door, own things) error {
			_, _, err := d.createEntity(own.space, entityInput{Data: `{}`})
			return err
		}},
		{"update entity", model.CodeForbidden, func(d door, own things) error {
			_, err := d.updateEntity(own.space, own.entity, `{}`)
			return err
		}},
		{"export space", model.CodeForbidden, func(d door, own things) error { _, err := d.exportSpace(own.space); return err }},
		{"apply changes", model.CodeForbidden, func(d door, own things) error {
			_, err := d.applyChanges(own.space, "space/entities/chair.json", room, "", true)
			return err
		}},
		{"lock space", model.CodeForbidden, func(d door, own things) error { _, err := d.lockSpace(own.space, "Editor", 60, ""); return err }},
		{"unlock space", model.CodeForbidden, func(d door, own things) error { _, err := d.unlockSpace(own.space, "", true); return err }},
		{"versions", model.CodeForbidden, func(d door, own things) error { _, err := d.versions(own.space); return err }},
		{"version changes", model.CodeForbidden, func(d door, own things) error { _, err := d.versionChanges(own.space, 0, 1); return err }},
		{"name version", model.CodeForbidden, func(d door, own things) error { _, err := d.nameVersion(own.space, 1, "First"); return err }},
		{"restore version", model.CodeForbidden, func(d door, own things) error { _, err := d.restoreVersion(own.space, 1); return err }},
		{"create space from a file", model.CodeNotFound, func(d door, own things) error {
			_, err := d.createSpace(spaceInput{ResourceKey: own.file})
			return err
		}},
		{"job", model.CodeNotFound, func(d door, own things) error { _, err := d.job(own.job); return err }},
		{"delete entity", model.CodeForbidden, func(d door, own things) error { return d.deleteEntity(own.space, own.entity) }},
		{"delete space", model.CodeForbidden, func(d door, own things) error { return d.deleteSpace(own.space) }},
		{"delete file", model.CodeNotFound, func(d door, own things) error { return d.deleteFile(own.file) }},
	}
}

// A caller without a key and another account are refused everywhere, before the owner is not.
func TestOwnership_at_every_door(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, open := range doors {
		t.Run(open.name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, w, 100+i, open.open)
			own := things{space: p.hub(), entity: "chair", file: p.file("cat.json"), job: p.scan()}
			p.must(p.create(own.space, entityInput{ID: own.entity, Data: `{}`}))
			p.must(p.alice.versions(own.space)) // records version 1
			for _, operation := range ownedOperations() {
				for _, caller := range []struct {
					name string
					door door
					want model.Code
				}{
					{"nobody", p.nobody, model.CodeUnauthenticated},
					{"a stranger", p.bob, operation.stranger},
					{"the owner", p.alice, ""},
				} {
					err := operation.call(caller.door, own)
					if errors.Is(err, errNoTool) {
						continue
					}
					if _, ok := errors.AsType[*api.Refusal](err); err != nil && !ok {
						t.Fatal(err)
					}
					if got := codeOf(err); got != caller.want && !isMissingPicture(operation.name, err) {
						t.Errorf("%s as %s: got %v, want code %q", operation.name, caller.name, err, caller.want)
					}
				}
			}
		})
	}
}

// isMissingPicture reports whether the owner has asked for the picture of a space that has none.
func isMissingPicture(operation string, err error) bool {
	refusal, ok := errors.AsType[*api.Refusal](err)
	return ok && operation == "screenshot" && refusal.Message == "The space has no picture yet"
}
