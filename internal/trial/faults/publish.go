package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// published is a thing that the server has confirmed to a client.
type published struct {
	material
	userID      string
	resourceKey string
	spaceID     string
}

// entityID is the id of the entity that clients add to each space.
const entityID = "published"

// maxUploads is how many times a client uploads a file whose job was given up.
const maxUploads = 5

// publish uploads a file, waits for its result, and creates a space and an entity of the
// result.
//
// The steps, each of which may be repeated, and broken in the middle:
//
//	POST /v1/files/upload               where to send the bytes
//	PUT  the address in the response    the bytes
//	POST /v1/files/upload-complete      a resource key, or a job
//	the job, until it has ended         a resource key
//	POST /v1/spaces                     a space of the resource
//	POST /v1/spaces/ID/entities         an entity in it
func (c *client) publish(ctx context.Context, m material, watch watcher) (*published, error) {
	p := &published{material: m, userID: c.id}
	for uploads := 1; p.resourceKey == ""; uploads++ {
		err := c.upload(ctx, p, watch)
		if why := c.retryReason(err); why != "" && uploads < maxUploads {
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

// retryReason returns why a client uploads once more, or "". All attempts at a job may have been
// killed. Where requests break, an S3 server may replace a complete object by the
// incomplete one of an earlier request; the confirmation is refused then, because the
// bytes are missing.
func (c *client) retryReason(err error) string {
	var gaveUp errGivenUp
	var refused errStatus
	switch {
	case errors.As(err, &gaveUp):
		return "jobs given up"
	case !c.strict && errors.As(err, &refused) && refused.status == http.StatusNotFound:
		return "incomplete uploads not confirmed"
	}
	return ""
}

// upload sends the bytes, confirms them, and waits for their job, if any. A third of the
// clients confirm twice: the second response must equal the first.
func (c *client) upload(ctx context.Context, p *published, watch watcher) error {
	address, err := c.put(ctx, p.material)
	if err != nil {
		return err
	}
	first, err := c.confirm(ctx, address)
	if err != nil {
		return err
	}
	if c.chance(3) { // as if the response had been lost
		again, err := c.confirm(ctx, address)
		if err != nil {
			return err
		}
		if again != first {
			c.addViolation("%s: confirmed again: got %+v, want %+v", p.name, again, first)
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

// put announces a file, sends its bytes, and returns its address without the query. An
// announced upload whose response was lost stays pending until it expires, which the audit
// brings about.
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
	switch {
	case err != nil:
	case got.status == http.StatusPreconditionFailed && got.repeated:
		// A bucket keeps the object that it has, so the first attempt stored one. Whether
		// that is complete, the confirmation says.
		c.add("uploads stored by a broken request", 1)
	case got.status != http.StatusOK:
		err = errRefused{got.status, string(got.body)}
	}
	address, _, _ := strings.Cut(promise.Params.URL, "?")
	return address, err
}

// errRefused is the response to bytes that the server refused.
type errRefused struct {
	status int
	body   string
}

// Error says what the response was.
func (e errRefused) Error() string {
	return fmt.Sprintf("the bytes were refused with %d %s", e.status, e.body)
}

// confirmation is the response to a confirmed upload.
type confirmation struct {
	ResourceKey string `json:"resource_key"`
	JobID       string `json:"job_id"`
}

// confirm confirms the upload. From the first response on the file may not be lost.
func (c *client) confirm(ctx context.Context, address string) (confirmation, error) {
	var got confirmation
	body := map[string]any{"status": "success", "extra_info": map[string]string{"file_url": address}}
	err := c.call(ctx, http.MethodPost, "/v1/files/upload-complete", body, &got, http.StatusOK, http.StatusAccepted)
	return got, err
}
