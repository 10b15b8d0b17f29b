package property

import (
	"maps"
	"slices"
	"strconv"
)

// The codes of refusals in sequences, as GraphQL writes them.
const (
	invalid   = "invalid"
	forbidden = "forbidden"
	notFound  = "not_found"
	tooLarge  = "too_large"
	overQuota = "quota_exceeded"
)

// rules is the service in memory, written from the specification and the contract: the
// response to each step, and its changes. It names things by their placeholders.
type rules struct {
	quota    int64
	json     [2]int64 // bytes of JSON that count as storage, by user; measured, see run.measure
	sequence int      // of the thing made last
	spaces   []*ruledSpace
	uploads  []*ruledUpload
	cursors  map[string]int // the sequence that a page ended with
}

type ruledSpace struct {
	id                                string
	owner, sequence                   int
	title, description, kind, privacy string
	data                              map[string]any
	entities                          []*ruledEntity // RoomInfo first
}

type ruledEntity struct {
	id, kind string
	sequence int
	data     map[string]any
}

// prediction is the expected response to a step.
type prediction struct {
	status  int      // of REST
	codes   []string // a refusal with one of these; more than one where nothing says which mistake counts
	message string   // the text that the API fixes, or ""
	data    any
}

func newRules(quota int64) *rules { return &rules{quota: quota, cursors: map[string]int{}} }

// clone returns a copy, to which steps can be applied without a change of r.
func (r *rules) clone() *rules {
	other := *r
	other.spaces, other.uploads, other.cursors = nil, nil, maps.Clone(r.cursors)
	for _, space := range r.spaces {
		copied := *space
		copied.entities = nil
		for _, e := range space.entities {
			entity := *e
			copied.entities = append(copied.entities, &entity)
		}
		other.spaces = append(other.spaces, &copied)
	}
	for _, u := range r.uploads {
		upload := *u
		other.uploads = append(other.uploads, &upload)
	}
	return &other
}

func done(data any) prediction { return prediction{status: 200, data: data} }

func refusal(code, message string) prediction {
	return prediction{codes: []string{code}, message: message}
}

// or adds a code: a request with two mistakes may be refused for either.
func (p prediction) or(q prediction) prediction {
	switch {
	case len(p.codes) == 0:
		return q
	case len(q.codes) == 0:
		return p
	}
	return prediction{codes: append(slices.Clone(p.codes), q.codes...)}
}

func (p prediction) isRefusal() bool { return len(p.codes) > 0 }

// apply carries out the step.
func (r *rules) apply(s step) prediction {
	switch s.Op {
	case opViewer:
		return r.viewer(s)
	case opCreateSpace:
		return r.createSpace(s)
	case opSpace:
		return r.readSpace(s)
	case opSpaces:
		return r.listSpaces(s)
	case opUpdateSpace:
		return r.updateSpace(s)
	case opUpdatePrivacy:
		return r.updatePrivacy(s)
	case opDeleteSpace:
		return r.deleteSpace(s)
	case opCreateEntity:
		return r.createEntity(s)
	case opEntity:
		return r.readEntity(s)
	case opEntities:
		return r.listEntities(s)
	case opUpdateEntity:
		return r.updateEntity(s)
	case opDeleteEntity:
		return r.deleteEntity(s)
	case opCreateUpload:
		return r.createUpload(s)
	case opSend:
		return r.send(s)
	case opComplete:
		return r.complete(s)
	case opFiles:
		return r.listFiles(s)
	case opDeleteFile:
		return r.deleteFile(s)
	case opConvertFile:
		return r.convertFile(s)
	case opJob:
		return r.readJob(s)
	case opJobs:
		return r.listJobs(s)
	}
	panic("no rule for " + s.Op)
}

func (r *rules) next() int {
	r.sequence++
	return r.sequence
}

// row is an item of a list. Places rise along the list.
type row struct {
	place int
	form  any
}

// page returns the part of the list that the step requests (API section 4, Entities; the
// other lists have the same pages).
func (r *rules) page(s step, rows []row) prediction {
	limit := 50
	if s.Limit != "" {
		asked, err := strconv.Atoi(s.Limit)
		if err != nil || asked < 1 || (asked > 200 && s.Door == doorGraphQL) {
			return refusal(invalid, "")
		}
		limit = min(asked, 200)
	}
	page := pageForm{Total: len(rows)}
	if s.Cursor != "" {
		after, known := r.cursors[s.Cursor]
		if !known {
			return refusal(invalid, "")
		}
		rows = slices.DeleteFunc(rows, func(line row) bool { return line.place <= after })
	}
	if len(rows) > limit {
		rows, page.More = rows[:limit], true
		r.cursors[s.As] = rows[limit-1].place
	}
	for _, line := range rows {
		page.Items = append(page.Items, line.form)
	}
	return done(page)
}
