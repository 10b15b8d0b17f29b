package view

import (
	"bytes"
	"encoding/json"
	"strconv"

	"portico/model"
)

// Entities have their own encoders, because they are the most frequent responses: the encoders copy
// the JSON of clients as it is stored. Postgres has validated it. encoding/json would validate and
// compact it, and copy it twice.

// SizeHint returns an estimate of the bytes that AppendJSON appends.
func (v Entity) SizeHint() int { return 128 + len(v.EntityID) + len(v.EntityType) + len(v.EntityData) }

// AppendJSON appends the view exactly as encoding/json would encode it.
func (v Entity) AppendJSON(b []byte) []byte { return append(v.appendFields(b), '}') }

// appendFields appends the object without its closing brace, so that callers can append more
// fields.
func (v Entity) appendFields(b []byte) []byte {
	b = appendString(append(b, `{"entity_id":`...), v.EntityID)
	b = appendString(append(b, `,"entity_type":`...), v.EntityType)
	b = appendObject(append(b, `,"entity_data":`...), v.EntityData)
	return b
}

// SizeHint returns an estimate of the bytes that AppendJSON appends.
func (v CreatedEntity) SizeHint() int { return 512 + v.Entity.SizeHint() }

// AppendJSON appends the view exactly as encoding/json would encode it.
func (v CreatedEntity) AppendJSON(b []byte) []byte {
	b = v.appendFields(b)
	if v.Warning != nil {
		b = appendString(append(b, `,"warning":`...), *v.Warning)
	}
	return append(b, '}')
}

// SizeHint returns an estimate of the bytes that AppendJSON appends.
func (v EntityRecord) SizeHint() int { return v.Entity.SizeHint() + len(v.EntityState) + 96 }

// AppendJSON appends the view exactly as encoding/json would encode it.
func (v EntityRecord) AppendJSON(b []byte) []byte {
	b = appendObject(append(v.appendFields(b), `,"entity_state":`...), v.EntityState)
	b = appendTime(append(b, `,"created_date":`...), v.CreatedDate)
	b = appendTime(append(b, `,"change_date":`...), v.ChangeDate)
	return append(b, '}')
}

// SizeHint returns an estimate of the bytes that AppendJSON appends.
func (v EntityList) SizeHint() int {
	size := 128
	for i := range v.Entities {
		size += v.Entities[i].SizeHint()
	}
	return size
}

// AppendJSON appends the view exactly as encoding/json would encode it.
func (v EntityList) AppendJSON(b []byte) []byte {
	b = append(b, `{"entities":[`...)
	for i := range v.Entities {
		if i > 0 {
			b = append(b, ',')
		}
		b = v.Entities[i].AppendJSON(b)
	}
	b = strconv.AppendInt(append(b, `],"count":`...), int64(v.Count), 10)
	b = strconv.AppendInt(append(b, `,"total":`...), int64(v.Total), 10)
	b = append(b, `,"nextCursor":`...)
	if v.NextCursor == nil {
		b = append(b, "null"...)
	} else {
		b = appendString(b, *v.NextCursor)
	}
	return append(strconv.AppendBool(append(b, `,"hasMore":`...), v.HasMore), '}')
}

func appendObject(b []byte, o model.Object) []byte {
	if o == nil {
		return append(b, "null"...)
	}
	return append(b, o...)
}

func appendTime(b []byte, t model.Time) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	return append(t.UTC().AppendFormat(append(b, '"'), model.TimeLayout), '"')
}

// appendString appends a string. It copies printable ASCII without quotes and backslashes, such as
// ids, because nothing in it needs an escape.
func appendString(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendEscaped(b, text)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

func appendEscaped(b []byte, text string) []byte {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // never fails for a string
	return append(b, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}
