package main

import (
	"strconv"
	"time"

	"portico/model"
)

// record is an entity as the ceiling reads it from the database. Its JSON is never
// decoded.
type record struct {
	id, kind         string
	data, state      []byte
	created, changed time.Time
}

// appendTo appends the entity as a read shows it, and end.
func (e *record) appendTo(b []byte, end string) []byte {
	b = append(e.appendData(b), `,"entity_state":`...)
	b = append(b, e.state...)
	b = append(b, `,"created_date":"`...)
	b = e.created.UTC().AppendFormat(b, model.TimeLayout)
	b = append(b, `","change_date":"`...)
	b = e.changed.UTC().AppendFormat(b, model.TimeLayout)
	return append(append(b, `"}`...), end...)
}

// appendChanged returns the response to a create or an update.
func (e *record) appendChanged() []byte {
	b := make([]byte, 0, len(e.data)+256)
	return append(e.appendData(append(b, `{"status":"ok","data":`...)), "}}\n"...)
}

// appendData appends what all responses share, and leaves the object open. Ids and types
// with special characters would need JSON's escapes; the database here has none.
func (e *record) appendData(b []byte) []byte {
	b = append(b, `{"entity_id":`...)
	b = strconv.AppendQuote(b, e.id)
	b = append(b, `,"entity_type":`...)
	b = strconv.AppendQuote(b, e.kind)
	b = append(b, `,"entity_data":`...)
	return append(b, e.data...)
}
