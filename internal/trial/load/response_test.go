package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestTemplate_fits_only_its_own_values(t *testing.T) {
	t.Parallel()
	made := newTemplate([]byte(`{"id":"`+sampleID+`","revision":`+sampleRevision+`,"again":"`+sampleID+`","node":"`+string(nodeID("space", []byte(sampleID)))+`"}`), "space")
	v := values{id: []byte("bench-100000001"), revision: []byte("1234567")}
	text := `{"id":"bench-100000001","revision":1234567,"again":"bench-100000001","node":"` + string(nodeID("space", []byte("bench-100000001"))) + `"}`
	if got := string(made.appendTo(nil, v)); got != text {
		t.Errorf("text: got %s, want %s", got, text)
	}
	for _, test := range []struct {
		text string
		want bool
	}{
		{text, true},
		{strings.Replace(text, "100000001", "100000002", 1), false},
		{strings.Replace(text, "1234567", "1234568", 1), false},
		{strings.Replace(text, "again", "other", 1), false},
		{strings.Replace(text, string(nodeID("space", v.id)), string(nodeID("space", []byte("bench-100000002"))), 1), false},
		{text + " ", false},
		{text[:len(text)-1], false},
		{"", false},
	} {
		if got := made.matches([]byte(test.text), v); got != test.want {
			t.Errorf("matches %q: got %v, want %v", test.text, got, test.want)
		}
	}
}

// row returns an entity as the doors show it.
func row(id, data, more string) string {
	return fmt.Sprintf(`{"entity_id":%q,"entity_type":%q,"entity_data":%s%s}`, id, entityType, data, more)
}

const stamps = `,"entity_state":{},"created_date":"` + seedTime + `","change_date":"` + seedTime + `"`

func updatedDocument() string {
	return strings.Replace(document, `"revision": 1000000`, `"revision": `+sampleRevision, 1)
}

func TestCheckResponse(t *testing.T) {
	t.Parallel()
	record := row(sampleID, document, stamps)
	rest := func(data string) string { return `{"status":"ok","data":` + data + `}` }
	for _, test := range []struct {
		name string
		door door
		op   operation
		body string
		ok   bool
	}{
		{"get", restDoor(), opGet, rest(record), true},
		{"get of another entity", restDoor(), opGet, rest(row("bench-100000000", document, stamps)), false},
		{"get without a field", restDoor(), opGet, rest(row(sampleID, `{"name":"Standing lamp"}`, stamps)), false},
		{"get with another date", restDoor(), opGet, rest(strings.Replace(record, "678Z", "679Z", 1)), false},
		{"get with another type", restDoor(), opGet, rest(strings.Replace(record, `"Simple"`, `"Gate"`, 1)), false},
		{"an error", restDoor(), opGet, `{"status":"error","message":"Entity not found"}`, false},
		{"no JSON", restDoor(), opGet, `<html>`, false},
		{"create", restDoor(), opCreate, rest(row(sampleID, document, "")), true},
		{"update", restDoor(), opUpdate, rest(row(sampleID, updatedDocument(), "")), true},
		{"update that changed nothing", restDoor(), opUpdate, rest(row(sampleID, document, "")), false},
		{"delete", restDoor(), opDelete, rest(`{"message":"Entity deleted"}`), true},
		{"delete of nothing", restDoor(), opDelete, rest(`{}`), false},
		{"GraphQL's get", graphQLDoor(), opGet, `{"data":{"result":` + record + `}}`, true},
		{"GraphQL's create", graphQLDoor(), opCreate, `{"data":{"result":{"entity":` + row(sampleID, document, "") + `}}}`, true},
		{"GraphQL's delete", graphQLDoor(), opDelete, `{"data":{"result":{"deletedEntityId":"` + base64.RawURLEncoding.EncodeToString([]byte("Entity:space/"+sampleID)) + `"}}}`, true},
		{"GraphQL's delete of another", graphQLDoor(), opDelete, `{"data":{"result":{"deletedEntityId":"other"}}}`, false},
		{"GraphQL's error", graphQLDoor(), opGet, `{"errors":[{"message":"Entity not found"}],"data":null}`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := checkResponse(test.op, []byte(test.body), test.door.read)
			if (err == nil) != test.ok {
				t.Errorf("got %v, want accepted: %v", err, test.ok)
			}
		})
	}
}

func TestCheckResponse_wants_the_whole_list_in_its_order(t *testing.T) {
	t.Parallel()
	list := func(count, total int, swap bool) string {
		rows := make([]string, count)
		for i := range rows {
			rows[i] = row(listID(i), document, stamps)
		}
		if swap {
			rows[0], rows[1] = rows[1], rows[0]
		}
		return fmt.Sprintf(`{"data":{"result":{"entities":{"entities":[%s],"total":%d}}}}`, strings.Join(rows, ","), total)
	}
	for _, test := range []struct {
		body string
		ok   bool
	}{
		{list(pageSize, pageSize, false), true},
		{list(pageSize-1, pageSize, false), false},
		{list(pageSize, pageSize+1, false), false},
		{list(pageSize, pageSize, true), false},
	} {
		if err := checkResponse(opList, []byte(test.body), graphQLDoor().read); (err == nil) != test.ok {
			t.Errorf("got %v, want accepted: %v", err, test.ok)
		}
	}
}

func TestDocument_has_a_kilobyte(t *testing.T) {
	t.Parallel()
	if !json.Valid([]byte(document)) {
		t.Error("document: got no JSON")
	}
	if got := len(document); got < 1000 || got > 1250 {
		t.Errorf("document: got %d bytes, want about 1 KB", got)
	}
}
