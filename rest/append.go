package rest

import (
	"bytes"
	"encoding/json"
	"strconv"

	"portico/model"
)

// appender is a view that writes its own JSON. Those with entity_data do: what
// clients stored goes out as it is, where encoding/json would read and copy it
// twice.
type appender interface {
	// appendTo appends the view as JSON.
	appendTo(b []byte) []byte
	// size is about how long that is.
	size() int
}

func (v entityView) size() int { return 128 + len(v.EntityID) + len(v.EntityType) + len(v.EntityData) }

func (v entityView) appendTo(b []byte) []byte { return append(v.appendFields(b), '}') }

// appendFields leaves the object open.
func (v entityView) appendFields(b []byte) []byte {
	b = appendString(append(b, `{"entity_id":`...), v.EntityID)
	b = appendString(append(b, `,"entity_type":`...), v.EntityType)
	b = appendObject(append(b, `,"entity_data":`...), v.EntityData)
	if v.Warning != nil {
		b = appendString(append(b, `,"warning":`...), *v.Warning)
	}
	return b
}

func (v entityRecordView) size() int { return v.entityView.size() + len(v.EntityState) + 96 }

func (v entityRecordView) appendTo(b []byte) []byte {
	b = appendObject(append(v.appendFields(b), `,"entity_state":`...), v.EntityState)
	b = appendTime(append(b, `,"created_date":`...), v.CreatedDate)
	b = appendTime(append(b, `,"change_date":`...), v.ChangeDate)
	return append(b, '}')
}

func (v entityPageView) size() int {
	size := 128
	for i := range v.Entities {
		size += v.Entities[i].size()
	}
	return size
}

func (v entityPageView) appendTo(b []byte) []byte {
	b = append(b, `{"entities":[`...)
	for i := range v.Entities {
		if i > 0 {
			b = append(b, ',')
		}
		b = v.Entities[i].appendTo(b)
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

// appendString is encoding/json's for what has nothing to escape, as ids have.
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
