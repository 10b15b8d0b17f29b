package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// published is what a client was told that there is.
type published struct {
	material
	userID      string
	resourceKey string
	spaceID     string
}

// entityID is what clients call the entity that they add to each space.
const entityID = "published"

// mostUploads is how often a client uploads something whose job was given up.
const mostUploads = 5

// publish uploads something, waits for what becomes of it, and makes a space and
// an entity of that.
func (c *client) publish(ctx context.Context, m material, watch watcher) (*published, error) {
	p := &published{material: m, userID: c.id}
	for uploads := 1; p.resourceKey == ""; uploads++ {
		err := c.upload(ctx, p, watch)
		if why := c.again(err); why != "" && uploads < mostUploads {
			c.add(why, 1)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	var space struct{ SpaceID string }
	err := c.call(ctx, http.MethodPost, "/v1/spaces", map[string]string{"resource_key": p.resourceKey, "title": m.name}, &space, http.StatusCreated)
	if err != nil {
		return nil, err
	}
	p.spaceID = space.SpaceID
	entity := map[string]string{"entity_id": entityID, "resource_key": p.resourceKey}
	err = c.call(ctx, http.MethodPost, "/v1/spaces/"+p.spaceID+"/entities", entity, nil, http.StatusCreated, http.StatusOK)
	return p, err
}

// again says why a client uploads once more; "" where it does not. All tries of a
// job may have been killed. And where requests break off, an S3 server that keeps
// the half of one may put it in the place of the whole that was sent after it: then
// the bytes are refused as not being there.
func (c *client) again(err error) string {
	var gaveUp errGivenUp
	var refused errStatus
	switch {
	case errors.As(err, &gaveUp):
		return "jobs given up"
	case !c.calm && errors.As(err, &refused) && refused.status == http.StatusNotFound:
		return "halves not confirmed"
	}
	return ""
}

// upload sends and confirms the bytes, and waits for their job where there is one.
// A third of the clients confirm twice: the second answer must be the first.
func (c *client) upload(ctx context.Context, p *published, watch watcher) error {
	address, err := c.put(ctx, p.material)
	if err != nil {
		return err
	}
	first, err := c.confirm(ctx, address)
	if err != nil {
		return err
	}
	if c.chance(3) { // the answer was lost, for all that the client knows
		again, err := c.confirm(ctx, address)
		if err != nil {
			return err
		}
		if again != first {
			c.complain("%s: confirmed again: got %+v, want %+v", p.name, again, first)
		}
	}
	if p.job != (first.JobID != "") {
		return fmt.Errorf("confirmed with %+v, want a job: %v", first, p.job)
	}
	p.resourceKey = first.ResourceKey
	if first.JobID == "" {
		return nil
	}
	end, err := watch(ctx, c, first.JobID)
	if err != nil {
		return err
	}
	p.resourceKey = end.ResourceKey
	return end.err()
}

// put asks for a place, sends the bytes there, and returns their address without its
// query. A place whose answer was lost stays promised until it expires: the audit
// makes it do so.
func (c *client) put(ctx context.Context, m material) (string, error) {
	var promise struct {
		Params struct {
			URL, Method string
			Headers     map[string]string
		}
	}
	wish := map[string]any{"file_name": m.name, "file_size": len(m.body), "content_type": "application/octet-stream"}
	if err := c.call(ctx, http.MethodPost, "/v1/files/upload", wish, &promise, http.StatusOK); err != nil {
		return "", err
	}
	header := http.Header{}
	for name, value := range promise.Params.Headers {
		header.Set(name, value)
	}
	got, err := c.send(ctx, promise.Params.Method, promise.Params.URL, header, m.body)
	if err == nil && got.status != http.StatusOK {
		err = errRefused{got.status, string(got.body)}
	}
	address, _, _ := strings.Cut(promise.Params.URL, "?")
	return address, err
}

// errRefused is the answer to bytes that are not taken.
type errRefused struct {
	status int
	body   string
}

// Error says what the answer was.
func (e errRefused) Error() string {
	return fmt.Sprintf("the bytes were refused with %d %s", e.status, e.body)
}

// confirmation is the answer to a confirmed upload.
type confirmation struct {
	ResourceKey string `json:"resource_key"`
	JobID       string `json:"job_id"`
}

// confirm tells that the bytes were sent. From the first answer on the file may not
// be lost.
func (c *client) confirm(ctx context.Context, address string) (confirmation, error) {
	var told confirmation
	body := map[string]any{"status": "success", "extra_info": map[string]string{"file_url": address}}
	err := c.call(ctx, http.MethodPost, "/v1/files/upload-complete", body, &told, http.StatusOK, http.StatusAccepted)
	return told, err
}
