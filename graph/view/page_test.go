package view_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/graph/view"
	"portico/model"
)

// checkJSON checks what clients see of a view.
func checkJSON(t *testing.T, what string, shown any, want string) {
	t.Helper()
	got, err := json.Marshal(shown)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Relay has an end cursor on the last page too, which would send REST's clients to an empty
// page.
func TestNewPage_has_a_cursor_only_where_a_page_follows(t *testing.T) {
	t.Parallel()
	end := "b2Zmc2V0"
	for want, info := range map[string]model.PageInfo{
		`{"count":2,"total":5,"nextCursor":"b2Zmc2V0","hasMore":true}`: {HasNextPage: true, EndCursor: &end},
		`{"count":2,"total":5,"nextCursor":null,"hasMore":false}`:      {EndCursor: &end},
	} {
		checkJSON(t, "page", view.NewPage(2, 5, info), want)
	}
}

func TestNewEntityList_keeps_the_JSON_of_clients(t *testing.T) {
	t.Parallel()
	at := model.Time{Time: time.Date(2026, 1, 27, 10, 30, 0, 0, time.UTC)}
	page := view.NewEntityList(&model.Connection[*model.Entity]{
		Nodes: []*model.Entity{
			{EntityID: "a", Type: "Simple", Data: model.Object(`{"n":12345678901234567890,"f":1.50}`), CreatedAt: at, ChangedAt: at},
		},
		TotalCount: 1,
	})
	checkJSON(t, "page of entities", page, `{"entities":[{"entity_id":"a","entity_type":"Simple",`+
		`"entity_data":{"n":12345678901234567890,"f":1.50},"entity_state":{},`+
		`"created_date":"2026-01-27T10:30:00.000Z","change_date":"2026-01-27T10:30:00.000Z"}],`+
		`"count":1,"total":1,"nextCursor":null,"hasMore":false}`)
}

// A client may store any field with a space, also one that Portico returns itself.
func TestSpaceRecord_lets_no_client_forge_a_field(t *testing.T) {
	t.Parallel()
	at := model.Time{Time: time.Date(2026, 1, 27, 10, 30, 0, 0, time.UTC)}
	record := view.SpaceRecord{
		Space: view.Space{ID: "1_a", SpaceTexts: model.SpaceTexts{Title: "Room"}, SpaceType: model.SpaceHub, Privacy: "Closed", SpaceURL: "https://p.example/1_a", CreatedDate: at, ChangeDate: at},
		Data:  model.Object(`{"id":"2_b","visitCount":9,"theme":{"sky":1.0}}`),
	}
	var got map[string]json.RawMessage
	text, err := json.Marshal(record)
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{"id": `"1_a"`, "visitCount": "0", "theme": `{"sky":1.0}`, "privacy": `"Closed"`} {
		if string(got[field]) != want {
			t.Errorf("%s: got %s, want %s", field, got[field], want)
		}
	}
}

func TestNewJobList_has_the_JSON_of_the_API(t *testing.T) {
	t.Parallel()
	checkJSON(t, "no jobs", view.NewJobList(nil), `{"jobs":[],"count":0}`)
	at := model.Time{Time: time.Date(2026, 1, 27, 10, 30, 0, 0, time.UTC)}
	job := &model.Job{ID: "j", Type: "zip-processing", Status: model.JobQueued, Progress: 12.5, Message: "Waiting", CreatedAt: at, UpdatedAt: at}
	checkJSON(t, "a job", view.NewJobList([]*model.Job{job}), `{"jobs":[{"job_id":"j","type":"zip-processing","job_status":"queued",`+
		`"progress":12.5,"message":"Waiting","created_at":"2026-01-27T10:30:00.000Z","updated_at":"2026-01-27T10:30:00.000Z"}],"count":1}`)
}
