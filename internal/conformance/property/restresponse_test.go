package property

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// restPage is the page around a list.
type restPage struct {
	Entities, Spaces, Files []json.RawMessage
	Count, Total            int
	NextCursor              *string
	HasMore                 bool
}

// readREST reads the data of a response, after it has learned the names in it.
func (r *run) readREST(s step, prefix string, data json.RawMessage) (any, error) {
	if err := r.learnREST(s, data); err != nil {
		return nil, err
	}
	hidden := r.names.hide(string(data))
	switch s.Op {
	case opSpaces, opEntities, opFiles:
		return r.readPage(s, hidden)
	case opJobs:
		return readJobs(hidden)
	case opUpdatePrivacy, opDeleteSpace, opDeleteEntity, opDeleteFile:
		return doneForm{}, nil
	case opComplete:
		if data == nil {
			return confirmationForm{}, nil
		}
		return readConfirmation(hidden, prefix)
	}
	return readItem(s.Op, hidden)
}

// learnREST binds the names that the response gives to new things.
func (r *run) learnREST(s step, data json.RawMessage) error {
	var made struct {
		SpaceURL string `json:"space_url"`
		EntityID string `json:"entity_id"`
		JobID    string `json:"job_id"`
		Params   struct{ URL string }
	}
	if data == nil {
		return nil
	}
	if err := json.Unmarshal(data, &made); err != nil {
		return err
	}
	switch s.Op {
	case opCreateSpace:
		return r.learnSpace(s, made.SpaceURL[strings.LastIndex(made.SpaceURL, "/")+1:])
	case opCreateEntity:
		if s.Entity == "" {
			return r.names.bind(s.As, made.EntityID)
		}
	case opCreateUpload:
		return r.learnUpload(s, made.Params.URL)
	case opComplete:
		return r.learnJob(s, made.JobID)
	}
	return nil
}

func (r *run) learnSpace(s step, id string) error {
	if owner := r.users[s.User].id; !strings.HasPrefix(id, owner+"_") {
		return fmt.Errorf("space: got id %q, want one that begins with %s_", id, owner)
	}
	return r.names.bind(s.As, id)
}

func (r *run) learnUpload(s step, presigned string) error {
	address, _, ok := strings.Cut(presigned, "?")
	root := base + "/files/" + r.users[s.User].id + "/"
	if !ok || !strings.HasPrefix(address, root) {
		return fmt.Errorf("upload: got address %q, want one below %s and with a query", presigned, root)
	}
	r.presign[s.As] = presigned
	return errors.Join(r.names.bind(s.As, address),
		r.names.bind(strings.Replace(s.As, "@u", "@f", 1), strings.TrimPrefix(address, root)))
}

func (r *run) learnJob(s step, id string) error {
	if id == "" {
		return nil
	}
	return r.names.bind(strings.Replace(s.Upload, "@u", "@j", 1), id)
}

func (r *run) readPage(s step, data string) (any, error) {
	var page restPage
	if err := json.Unmarshal([]byte(data), &page); err != nil {
		return nil, err
	}
	items := slices.Concat(page.Entities, page.Spaces, page.Files)
	if page.Count != len(items) || page.HasMore != (page.NextCursor != nil) {
		return nil, fmt.Errorf("page of %d items: got count %d, hasMore %v, nextCursor %v", len(items), page.Count, page.HasMore, page.NextCursor)
	}
	form := pageForm{Total: page.Total, More: page.HasMore}
	for _, item := range items {
		read, err := readItem(s.Op, string(item))
		if err != nil {
			return nil, err
		}
		form.Items = append(form.Items, read)
	}
	if page.NextCursor != nil {
		return form, r.names.bind(s.As, *page.NextCursor)
	}
	return form, nil
}

func readConfirmation(data, prefix string) (any, error) {
	var c struct {
		ResourceKey string `json:"resource_key"`
		URL         string
		JobID       string `json:"job_id"`
		PollURL     string `json:"poll_url"`
	}
	err := json.Unmarshal([]byte(data), &c)
	if want := prefix + "/jobs/" + c.JobID; err == nil && c.JobID != "" && c.PollURL != want {
		err = fmt.Errorf("poll_url: got %q, want %q", c.PollURL, want)
	}
	return confirmationForm{c.ResourceKey, c.URL, c.JobID}, err
}

func readJobs(data string) (any, error) {
	var list struct {
		Jobs  []restJob
		Count int
	}
	err := json.Unmarshal([]byte(data), &list)
	if err == nil && list.Count != len(list.Jobs) {
		err = fmt.Errorf("jobs: got count %d beside %d", list.Count, len(list.Jobs))
	}
	jobs := []jobForm{}
	for _, j := range list.Jobs {
		jobs = append(jobs, j.form())
	}
	return jobs, err
}

type restJob struct {
	JobID     string `json:"job_id"`
	Type      string
	JobStatus string `json:"job_status"`
	Progress  float64
}

func (j restJob) form() jobForm { return jobForm{j.JobID, j.Type, j.JobStatus, j.Progress} }

// readItem reads a single thing.
func readItem(op, data string) (any, error) {
	whole, err := parse(data)
	if err != nil {
		return nil, err
	}
	value, ok := whole.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("data: got %s, want an object", data)
	}
	o := reader{object: value}
	form := o.item(op)
	return form, o.err
}
