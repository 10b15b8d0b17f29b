package property

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// reader reads fields of an object of REST.
type reader struct {
	object map[string]any
	err    error
}

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

// checkTimes reads times, which must not go backwards.
func (o *reader) checkTimes(names ...string) {
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
		o.checkTimes("created_date", "change_date")
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
		o.checkTimes("created_at")
		return fileForm{o.text("resource_key"), o.text("file_name"), o.text("content_type"), o.text("url"), o.number("file_size")}
	case opJob:
		o.checkTimes("created_at", "updated_at")
		return jobForm{o.text("job_id"), "", o.text("job_status"), float64(o.number("progress"))}
	}
	panic("no form for " + op)
}

func (o *reader) space(withData bool) spaceForm {
	o.checkTimes("createdDate", "changeDate")
	o.number("visitCount")
	form := spaceForm{
		o.text("id"), o.text("space_url"), o.text("title"), o.text("description"), o.text("space_type"),
		optionOf(o.text("privacy")), nil,
	}
	o.text("licence") // the steps set none
	if withData {     // what is left are the fields that clients keep with the space, and these once more
		again := o.object["data"]
		delete(o.object, "data")
		if !reflect.DeepEqual(again, o.object) {
			o.err = fmt.Errorf("data: got %v, want %v", again, o.object)
		}
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
	return entityForm{o.text("entity_id"), kind, shownData(kind, data)}
}
