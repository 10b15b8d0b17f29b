package property

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// run is a sequence under way: two accounts at a server.
type run struct {
	*server
	users   [2]account
	names   names
	presign map[string]string // upload addresses with their queries, by place holder
}

// do carries a step out at the server.
func (r *run) do(s step) (reply, error) {
	if s.Op == opSend {
		return r.sendBytes(s)
	}
	if s.Door == doorGraphQL {
		return r.graphQL(s)
	}
	return r.rest(s)
}

// sendBytes sends the bytes that were promised to the presigned address.
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

// rest sends the step to the API and reads the answer.
func (r *run) rest(s step) (reply, error) {
	prefix := "/v1"
	if s.API {
		prefix = "/api/v1"
	}
	method, path, body := restRequest(s)
	got := r.call(r.users[s.User], method, r.names.fill(prefix+path), r.names.fill(body))
	answer := reply{Status: got.status}
	var envelope struct {
		Status, Message string
		Data            json.RawMessage
	}
	if err := json.Unmarshal([]byte(got.body), &envelope); err != nil {
		return answer, fmt.Errorf("read %d %s: %w", got.status, got.body, err)
	}
	if got.status >= 400 {
		answer.Code, answer.Message = codeOf[got.status], envelope.Message
		if answer.Code == "" || envelope.Status != "error" || envelope.Message == "" {
			return answer, fmt.Errorf("unexpected answer: %d %s", got.status, got.body)
		}
		return answer, nil
	}
	if want := restStatus(s, got.status, envelope.Data); envelope.Status != want {
		return answer, fmt.Errorf("envelope: got %s, want status %q", got.body, want)
	}
	var err error
	answer.Data, err = r.readREST(s, prefix, envelope.Data)
	return answer, err
}

// restStatus is the word that the envelope must have.
func restStatus(s step, status int, data json.RawMessage) string {
	switch {
	case status == http.StatusAccepted:
		return "processing"
	case s.Op == opComplete && data != nil:
		return "confirmed"
	}
	return "ok"
}

// fields makes a JSON object of names and values, without those that are empty.
func fields(pairs ...any) map[string]any {
	object := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		switch value := pairs[i+1].(type) {
		case string:
			if value != "" {
				object[pairs[i].(string)] = value
			}
		case *string:
			if value != nil {
				object[pairs[i].(string)] = *value
			}
		case json.RawMessage:
			if len(value) > 0 {
				object[pairs[i].(string)] = value
			}
		default:
			object[pairs[i].(string)] = value
		}
	}
	return object
}

func text(object any) string {
	b, err := json.Marshal(object)
	if err != nil {
		panic(err) // a step that is no JSON is a mistake of the test
	}
	return string(b)
}

// restRequest is the request that a step is.
func restRequest(s step) (method, path, body string) {
	space, entities := "/spaces/"+s.Space, "/spaces/"+s.Space+"/entities"
	entity := entities + "/" + s.Entity
	switch s.Op {
	case opViewer:
		return "GET", "/user/me", ""
	case opCreateSpace:
		return restCreateSpace(s)
	case opSpace:
		return "GET", space, ""
	case opSpaces:
		return "GET", "/spaces?" + pageQuery(s), ""
	case opUpdateSpace:
		// The fields to keep stand beside the space's own.
		own := text(fields("title", s.Title, "description", s.Description, "privacy", s.Privacy))
		if kept := strings.TrimSuffix(strings.TrimPrefix(s.Data, "{"), "}"); kept != "" {
			own = strings.Replace("{"+kept+","+own[1:], ",}", "}", 1)
		}
		return "PUT", space, own
	case opUpdatePrivacy:
		return "POST", "/spaces/update-privacy", text(fields("spaceId", s.Space, "roomPrivacy", s.Privacy))
	case opDeleteSpace:
		return "DELETE", space, ""
	case opCreateEntity:
		return "POST", entities, text(fields("resource_key", s.File, "entity_id", s.Entity, "entity_type", s.Type,
			"entity_data", json.RawMessage(s.Data)))
	case opEntity:
		return "GET", entity, ""
	case opEntities:
		return "GET", entities + "?" + pageQuery(s), ""
	case opUpdateEntity:
		return "PUT", entity, text(fields("entity_data", json.RawMessage(s.Data)))
	case opDeleteEntity:
		return "DELETE", entity, ""
	case opCreateUpload:
		return "POST", "/files/upload", text(fields("file_name", s.Name, "file_size", s.Size,
			"content_type", "application/octet-stream", "convert_to", s.Convert))
	case opComplete:
		return "POST", "/files/upload-complete", text(fields("status", s.Status, "extra_info", fields("file_url", s.Upload)))
	case opFiles:
		return "GET", "/files?" + pageQuery(s), ""
	case opDeleteFile:
		return "DELETE", "/files?resource_key=" + s.File, ""
	case opJob:
		return "GET", "/jobs/" + s.Entity, ""
	case opJobs:
		return "GET", "/jobs", ""
	}
	panic("no request for " + s.Op)
}

func restCreateSpace(s step) (method, path, body string) {
	object := fields("title", s.Title, "description", s.Description, "resource_key", s.File, "space_type", s.Kind)
	switch s.Form {
	case formWrapped:
		return "POST", "/user/create-space", text(fields("space_data", object))
	case formSpaces:
		if s.Privacy != "" {
			object["privacy"] = s.Privacy
		}
		return "POST", "/spaces", text(object)
	}
	return "POST", "/user/create-space", text(object)
}

func pageQuery(s step) string {
	var query []string
	for name, value := range map[string]string{"limit": s.Limit, "cursor": s.Cursor, "search": s.Search} {
		if value == "" {
			continue
		}
		if name != "cursor" { // a place holder, which is filled in later
			value = url.QueryEscape(value)
		}
		query = append(query, name+"="+value)
	}
	return strings.Join(query, "&")
}

// restPage is what surrounds a list.
type restPage struct {
	Entities, Spaces, Files []json.RawMessage
	Count, Total            int
	NextCursor              *string
	HasMore                 bool
}

// readREST reads the data of an answer, after it has learned the names in it.
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

// learnREST binds the names that the answer gives to new things.
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

// readItem reads one thing.
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

// reader takes fields out of an object of REST.
type reader struct {
	object map[string]any
	err    error
}

// text takes a text out.
func (o *reader) text(name string) string {
	value, ok := o.object[name].(string)
	if !ok {
		o.err = errors.Join(o.err, fmt.Errorf("%s: got %v, want a text", name, o.object[name]))
	}
	delete(o.object, name)
	return value
}

func (o *reader) number(name string) int64 {
	value, _ := o.object[name].(number)
	n, err := strconv.ParseInt(string(value), 10, 64)
	o.err = errors.Join(o.err, err)
	delete(o.object, name)
	return n
}

// moments takes times out, which must not go backwards.
func (o *reader) moments(names ...string) {
	last := ""
	for _, name := range names {
		at := o.text(name)
		if !moment.MatchString(at) || at < last {
			o.err = errors.Join(o.err, fmt.Errorf("%s: got %q after %q, want a later moment", name, at, last))
		}
		last = at
	}
}

func (o *reader) item(op string) any {
	switch op {
	case opViewer:
		storage, _ := o.object["storage"].(map[string]any)
		inner := reader{object: storage}
		form := viewerForm{Plan: o.text("plan"), Used: inner.number("used"), Promised: -1, Quota: inner.number("quota")}
		o.err = errors.Join(o.err, inner.err)
		return form
	case opCreateSpace:
		return madeSpaceForm{o.text("space_url"), o.text("title"), o.text("space_type")}
	case opSpace, opUpdateSpace, opSpaces:
		return o.space(op != opSpaces)
	case opCreateEntity, opUpdateEntity:
		return o.entity()
	case opEntity, opEntities:
		o.moments("created_date", "change_date")
		if state, ok := o.object["entity_state"].(map[string]any); !ok || len(state) > 0 {
			o.err = fmt.Errorf("entity_state: got %v, want an object without fields", o.object["entity_state"])
		}
		return o.entity()
	case opCreateUpload:
		params, _ := o.object["params"].(map[string]any)
		headers, _ := params["headers"].(map[string]any)
		inner, header := reader{object: params}, reader{object: headers}
		address, _, _ := strings.Cut(inner.text("url"), "?")
		form := uploadForm{address, inner.text("method"), header.text("Content-Type")}
		o.err = errors.Join(o.err, inner.err, header.err)
		return form
	case opFiles:
		o.moments("created_at")
		return fileForm{o.text("resource_key"), o.text("file_name"), o.text("content_type"), o.text("url"), o.number("file_size")}
	case opJob:
		o.moments("created_at", "updated_at")
		return jobForm{o.text("job_id"), "", o.text("job_status"), float64(o.number("progress"))}
	}
	panic("no form for " + op)
}

func (o *reader) space(withData bool) spaceForm {
	o.moments("createdDate", "changeDate")
	o.number("visitCount")
	form := spaceForm{
		o.text("id"), o.text("space_url"), o.text("title"), o.text("description"), o.text("space_type"),
		optionOf(o.text("privacy")), nil,
	}
	if withData { // what is left are the fields that clients keep with the space
		form.Data = o.object
	}
	return form
}

func (o *reader) entity() entityForm {
	data, ok := o.object["entity_data"].(map[string]any)
	if !ok {
		o.err = fmt.Errorf("entity_data: got %v, want an object", o.object["entity_data"])
	}
	kind := o.text("entity_type")
	return entityForm{o.text("entity_id"), kind, shown(kind, data)}
}
