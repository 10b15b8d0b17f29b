package rest

import (
	"bytes"
	"errors"
	"net/http"
	"slices"

	"portico/graph/view"
	"portico/model"
)

// changeSetBody is the body of POST /spaces/:spaceId/changeset.
type changeSetBody struct {
	Puts []struct {
		Path        string  `json:"path"`
		Content     *string `json:"content"`
		Encoding    string  `json:"encoding"` // utf-8, utf8 or base64; empty means utf-8
		ResourceKey *string `json:"resource_key"`
	} `json:"puts"`
	Deletes  []string             `json:"deletes"`
	Expected []model.ExpectedFile `json:"expected"`
}

// decode reads the body. An error inside of a list names the element and its field. If a list itself
// is wrong, the error names the list and what it must contain.
func (b *changeSetBody) decode(body model.Object) error {
	err := unmarshal(body, "", b)
	invalid, ok := errors.AsType[*model.Error](err)
	if !ok {
		return err
	}
	contents := map[string]string{
		"puts":     "{path, content, encoding} or {path, resource_key}",
		"deletes":  "paths",
		"expected": "{path, sha256}",
	}
	if content := contents[invalid.Field]; content != "" {
		return model.InvalidField(invalid.Field, "must be a list of "+content)
	}
	return err
}

// puts returns the files to put, with their contents decoded. Its error has a fault for each file
// that cannot be decoded.
func (b changeSetBody) puts() ([]model.FilePut, error) {
	var puts []model.FilePut
	var faults model.ChangeFaults
	for _, put := range b.Puts {
		if !slices.Contains([]string{"", "utf8", "utf-8", "base64"}, put.Encoding) {
			faults.Add(put.Path, "encoding must be utf-8 or base64")
			continue
		}
		puts = append(puts, faults.NewFilePut(put.Path, put.Content, put.Encoding == "base64", put.ResourceKey))
	}
	return puts, faults.Refusal()
}

// applyChanges handles POST /spaces/:spaceId/changeset.
func (a *api) applyChanges(w http.ResponseWriter, r *http.Request) error {
	spooled, err := a.spoolBody(w, r)
	if err != nil {
		return err
	}
	defer spooled.Close() //nolint:errcheck // it was read
	body, err := spooled.text()
	if err != nil {
		return err
	}
	var sent changeSetBody
	if body = bytes.TrimSpace(body); len(body) > 0 {
		if err := checkObject(body); err != nil {
			return err
		}
		if err := sent.decode(body); err != nil {
			return err
		}
	}
	puts, err := sent.puts()
	if err != nil {
		return err
	}
	in := model.ChangeSet{SpaceID: pathValue(r, "spaceId"), Puts: puts, Deletes: sent.Deletes, Expected: sent.Expected, DryRun: querySwitch(r, "dryRun", false)}
	result, err := a.resolver.Mutation().ApplyChanges(lockContext(r), in)
	if err != nil {
		return err
	}
	_ = spooled.Close() // the client may read the response slowly
	return respond(w, http.StatusOK, newChangesResponse(result, nil))
}

// changesResponse is the response to a change set. It has the changes beside the status, where the
// clients of these routes read them, and in Data, as every other response.
type changesResponse struct {
	Status string `json:"status"`
	changes
	Data changes `json:"data"`
}

// changes are the changes that were or would be made. Manifest is the new one after an apply.
type changes struct {
	view.Changes
	Manifest *view.Manifest `json:"manifest,omitempty"`
}

// newChangesResponse returns the response for a result. The manifest is nil for a preview.
func newChangesResponse(result *model.ChangeResult, manifest *view.Manifest) changesResponse {
	all := changes{view.NewChanges(result), manifest}
	return changesResponse{Status: statusOK, changes: all, Data: all}
}
