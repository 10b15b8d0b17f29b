package property

import (
	"path"
	"slices"
	"strings"
)

type ruledUpload struct {
	url, key, job string // placeholders
	owner         int
	name          string
	size          int64
	stored        bool // its bytes are there
	state         uploadState
	convert       string // what it is to become
	source        string // the key of the file that a conversion is of
	sequence      int    // of its file
}

type uploadState int

const (
	promised uploadState = iota
	discarded
	processing // by a job that nobody runs here
	confirmed
)

// accepted contains the formats (API section 2; requirements.md, Uploads and jobs).
var accepted = strings.Fields(".ply .glb .gltf .spz .splat .ksplat .sog .zip .jpg .jpeg .png .gif .webp .mjs .path " +
	".json .bin .mp3 .ogg .wav .mp4 .webm")

// convertible reports whether a file of this name can become the target.
func convertible(name, target string) bool {
	extension := path.Ext(name)
	switch target {
	case "sog":
		return extension == ".ply" || extension == ".spz"
	case "streamed-sog":
		return extension == ".ply" || extension == ".spz" || extension == ".sog"
	}
	return false
}

// fileConvertible reports whether a file of this name can be converted: files have more
// targets than uploads.
func fileConvertible(name, target string) bool {
	if target == "spz" {
		return path.Ext(name) == ".ply" || path.Ext(name) == ".sog"
	}
	return convertible(name, target)
}

// title is the file's name without its extension.
func (u *ruledUpload) title() string { return strings.TrimSuffix(u.name, path.Ext(u.name)) }

// entityData returns the data of a new entity of the file: defaults, what was sent, the
// address of the file, each over the one before.
func (u *ruledUpload) entityData(sent map[string]any) map[string]any {
	rotation := `{"x":0,"y":0,"z":0}`
	if slices.Contains([]string{".ply", ".spz", ".sog"}, path.Ext(u.name)) {
		rotation = `{"x":0,"y":0,"z":180}`
	}
	defaults := object(`{"scale":[1,1,1],"rotation":` + rotation + `,"position":[0,0,0]}`)
	return laidOver(laidOver(defaults, sent), map[string]any{"glbUrl": u.url})
}

func (u *ruledUpload) form() fileForm {
	return fileForm{u.key, u.name, "application/octet-stream", u.url, u.size}
}

// file returns the caller's file that the step names, or nil.
func (r *rules) file(s step) (*ruledUpload, prediction) {
	if s.File == "" {
		return nil, prediction{}
	}
	for _, u := range r.uploads {
		if u.key == s.File && u.owner == s.User && u.state == confirmed {
			return u, prediction{}
		}
	}
	return nil, refusal(notFound, "")
}

// storage returns the storage that the user uses and has announced.
func (r *rules) storage(user int) (used, pending int64) {
	used = r.json[user]
	for _, u := range r.uploads {
		switch {
		case u.owner != user:
		case u.state == promised:
			pending += u.size
		case u.state == confirmed, u.state == processing:
			used += u.size
		}
	}
	return used, pending
}

func (r *rules) viewer(s step) prediction {
	form := viewerForm{Plan: []string{"pro", "free"}[s.User], Quota: r.quota}
	form.Used, form.Promised = r.storage(s.User)
	if s.Door == doorREST {
		form.Promised = -1
	}
	return done(form)
}

func (r *rules) createUpload(s step) prediction {
	used, pending := r.storage(s.User)
	var p prediction
	if s.Size < 1 || s.Name == "" || !slices.Contains(accepted, path.Ext(s.Name)) {
		p = refusal(invalid, "")
	}
	if s.Convert != "" && !convertible(s.Name, s.Convert) {
		p = p.or(refusal(invalid, ""))
	}
	if s.Size > maxFile {
		p = p.or(refusal(tooLarge, ""))
	} else if s.Size > r.quota-used-pending {
		p = p.or(refusal(overQuota, ""))
	}
	if p.isRefusal() {
		return p
	}
	holder := func(kind string) string { return strings.Replace(s.As, "@u", "@"+kind, 1) }
	r.uploads = append(r.uploads, &ruledUpload{
		url: s.As, key: holder("f"), job: holder("j"), owner: s.User, name: s.Name, size: s.Size, convert: s.Convert,
	})
	return done(uploadForm{s.As, "PUT", "application/octet-stream"})
}

func (r *rules) upload(address string) *ruledUpload {
	i := slices.IndexFunc(r.uploads, func(u *ruledUpload) bool { return u.url == address })
	if i < 0 {
		return nil
	}
	return r.uploads[i]
}

// send sends the announced bytes, as often as it likes until the upload is confirmed or
// discarded.
func (r *rules) send(s step) prediction {
	u := r.upload(s.Upload)
	if u == nil {
		return prediction{status: 0, data: sentForm{403}} // not an address that was signed
	}
	if u.state != promised {
		return prediction{data: sentForm{409}}
	}
	u.stored = true
	return prediction{data: sentForm{200}}
}

func (r *rules) complete(s step) prediction {
	u := r.upload(s.Upload)
	missing := refusal(notFound, "Uploaded file not found")
	// GraphQL has no status: its door discards an upload whose status is not success.
	if s.Status == "" && s.Door != doorGraphQL {
		p := refusal(invalid, "")
		if u == nil || u.owner != s.User {
			return p.or(missing)
		}
		return p
	}
	if u == nil || u.owner != s.User {
		return missing
	}
	if s.Status != "success" {
		return u.discard()
	}
	switch {
	case u.state == discarded, u.state == promised && !u.stored:
		return missing
	case u.state == promised && (path.Ext(u.name) == ".zip" || u.convert != ""):
		u.state, u.sequence = processing, r.next()
	case u.state == promised:
		u.state, u.sequence = confirmed, r.next()
	}
	if u.state == processing {
		return prediction{status: 202, data: confirmationForm{Job: u.job}}
	}
	return done(confirmationForm{File: u.key, URL: u.url})
}

// discard discards the upload and frees its announced storage.
func (u *ruledUpload) discard() prediction {
	switch u.state {
	case promised:
		u.state, u.stored = discarded, false
	case confirmed, processing:
		return refusal(invalid, "")
	}
	return done(confirmationForm{})
}

// byAge returns the uploads of the user in the state, newest first.
func (r *rules) byAge(user int, state uploadState) []*ruledUpload {
	var found []*ruledUpload
	for _, u := range r.uploads {
		if u.owner == user && u.state == state {
			found = append(found, u)
		}
	}
	slices.SortFunc(found, func(a, b *ruledUpload) int { return b.sequence - a.sequence })
	return found
}

func (r *rules) listFiles(s step) prediction {
	var rows []row
	for _, u := range r.byAge(s.User, confirmed) {
		rows = append(rows, row{-u.sequence, u.form()})
	}
	return r.page(s, rows)
}

// deleteFile frees the file's storage; entities keep its address. Its upload then counts
// as discarded.
func (r *rules) deleteFile(s step) prediction {
	file, p := r.file(s)
	if p.isRefusal() {
		p.message = "File not found"
		return p
	}
	file.state, file.stored = discarded, false
	return done(doneForm{})
}

// convertFile creates a job for a new file, one at a time for a file and a target.
func (r *rules) convertFile(s step) prediction {
	file, p := r.file(s)
	if p.isRefusal() {
		p.message = "File not found"
	}
	if file == nil || !fileConvertible(file.name, s.Convert) {
		if file != nil || !slices.Contains([]string{"sog", "streamed-sog", "spz"}, s.Convert) {
			p = p.or(refusal(invalid, ""))
		}
		return p
	}
	for _, u := range r.uploads {
		if u.source == file.key && u.convert == s.Convert {
			return done(u.readForm())
		}
	}
	made := &ruledUpload{
		job: s.As, owner: s.User, name: file.name, state: processing, convert: s.Convert, source: file.key, sequence: r.next(),
	}
	r.uploads = append(r.uploads, made)
	return done(made.readForm())
}

func (u *ruledUpload) jobForm() jobForm {
	form := jobForm{ID: u.job, Type: "zip-processing", Status: "queued"}
	if u.convert != "" {
		form.Type = "file-processing"
	}
	return form
}

// readForm returns the form of one job. Only the list of REST has its type.
func (u *ruledUpload) readForm() jobForm {
	form := u.jobForm()
	form.Type = ""
	return form
}

func (r *rules) readJob(s step) prediction {
	for _, u := range r.byAge(s.User, processing) {
		if u.job == s.Entity {
			return done(u.readForm())
		}
	}
	return refusal(notFound, "Job not found")
}

func (r *rules) listJobs(s step) prediction {
	list := []jobForm{}
	for _, u := range r.byAge(s.User, processing) {
		list = append(list, u.jobForm())
	}
	return done(list)
}
