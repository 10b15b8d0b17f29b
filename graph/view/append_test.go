package view_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"portico/graph/view"
	"portico/model"
)

// appender is a view that writes its own JSON.
type appender interface {
	AppendJSON(b []byte) []byte
	SizeHint() int
}

func TestAppendJSON_writes_what_encoding_json_writes(t *testing.T) {
	t.Parallel()
	entity := view.Entity{EntityID: "a.b-c_1", EntityType: "Simple", EntityData: model.Object(`{"n":12345678901234567890,"f":1.50}`)}
	odd := view.Entity{EntityID: "e", EntityType: "\x00\n\"\\<&>\u2028ü🚪\x7f", EntityData: model.Object(`{"html":"<b>&</b>"}`)}
	at := model.Time{Time: time.Date(2026, 1, 27, 10, 30, 0, 123456789, time.FixedZone("CET", 3600))}
	record := view.EntityRecord{Entity: entity, EntityState: model.Object(`{}`), CreatedDate: at, ChangeDate: at}
	warning, cursor := `The file is "damaged"`, "b2Zmc2V0"
	for _, c := range []struct {
		name string
		view appender
	}{
		{"an entity", entity},
		{"characters to escape", odd},
		{"no data", view.Entity{EntityID: "e"}},
		{"a created entity", view.CreatedEntity{Entity: entity}},
		{"a warning", view.CreatedEntity{Entity: entity, Warning: &warning}},
		{"a record", record},
		{"a record without state and dates", view.EntityRecord{Entity: odd}},
		{"a page without items", view.EntityList{Entities: []view.EntityRecord{}}},
		{"a page", view.EntityList{
			Entities: []view.EntityRecord{record, {Entity: odd}},
			Page:     view.Page{Count: 2, Total: 30, NextCursor: &cursor, HasMore: true},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var want bytes.Buffer
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			if err := encoder.Encode(c.view); err != nil {
				t.Fatal(err)
			}
			got := string(c.view.AppendJSON([]byte("before"))) + "\n"
			if want := "before" + want.String(); got != want {
				t.Errorf("JSON:\ngot  %s\nwant %s", got, want)
			}
			if hint := c.view.SizeHint(); hint < len(got)/2 {
				t.Errorf("size hint: got %d, want about %d", hint, len(got))
			}
		})
	}
}
