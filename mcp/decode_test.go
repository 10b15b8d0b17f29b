package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	"portico/model"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	schema := inputSchema[updateEntityInput](nil)
	for _, test := range []struct {
		name, arguments string
		id, data, wrong string
	}{
		{"as written", `{"spaceId":"s","entity_id":"e","entity_data":{"a":1}}`, "e", `{"a":1}`, ""},
		{"another spelling", `{"space_id":"s","entity_id":"e","entity_data":{}}`, "", "", "spaceId is required"},
		{"another case", `{"spaceId":"s","ENTITY_ID":"e","entity_data":{}}`, "", "", "entity_id is required"},
		{"another case besides", `{"spaceId":"s","SPACEID":"x","entity_id":"e","Entity_id":"x","entity_data":{}}`, "e", `{}`, ""},
		{"half of a surrogate pair", `{"spaceId":"s","entity_id":"\ud800","entity_data":{}}`, "", "", "entity_id must not contain half of a surrogate pair"},
		{"half of a surrogate pair deeper", `{"spaceId":"s","entity_id":"e","entity_data":{"a":[{"b":"\udfff"}]}}`, "", "", "entity_data.a.0.b must not contain half of a surrogate pair"},
		{"exact numbers", `{"spaceId":"s","entity_id":"e","entity_data":{"n":12345678901234567890,"f":1.10}}`, "e", `{"n":12345678901234567890,"f":1.10}`, ""},
		{"no escapes", `{"spaceId":"s","entity_id":"e","entity_data":{"h":"<&>"}}`, "e", `{"h":"<&>"}`, ""},
		{"nothing", ``, "", "", "spaceId is required"},
		{"null", `null`, "", "", "spaceId is required"},
		{"a null field", `{"spaceId":"s","entity_id":"e","entity_data":null}`, "", "", "entity_data is required"},
		{"a list", `[]`, "", "", "arguments must be an object"},
		{"a number for a text", `{"spaceId":"s","entity_id":1,"entity_data":{}}`, "", "", "entity_id must be a string"},
		{"a text for an object", `{"spaceId":"s","entity_id":"e","entity_data":"{}"}`, "", "", "entity_data must be an object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var in updateEntityInput
			err := decode(json.RawMessage(test.arguments), schema, &in)
			if test.wrong != "" {
				got := model.AsError(err)
				if got == nil || got.Code != model.CodeInvalid || got.Message != test.wrong {
					t.Fatalf("error: got %v, want %q", err, test.wrong)
				}
				if field, ok := strings.CutSuffix(test.wrong, " is required"); ok {
					equal(t, "field", got.Field, field)
				}
				return
			}
			check(t, err)
			equal(t, "spaceId", in.SpaceID, "s")
			equal(t, "entity_id", in.EntityID, test.id)
			equal(t, "entity_data", string(in.EntityData), test.data)
		})
	}
}
