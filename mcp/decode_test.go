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
		{"another spelling", `{"space_id":"s","entityId":"e","entityData":{"entityId":"x","n":1.10}}`, "e", `{"entityId":"x","n":1.10}`, ""},
		{"both spellings", `{"spaceId":"s","space_id":"x","entity_id":"e","entityId":"x","entity_data":{}}`, "e", `{}`, ""},
		{"null beside the other spelling", `{"spaceId":"s","entity_id":null,"entityId":"e","entity_data":{"h":"<&>"}}`, "e", `{"h":"<&>"}`, ""},
		{"a number for a text in another spelling", `{"spaceId":"s","entityId":1,"entity_data":{}}`, "", "", "entity_id must be a string"},
		{"a spelling of neither", `{"spaceId":"s","entityID":"e","entity_data":{}}`, "", "", "entity_id is required"},
		{"another case", `{"spaceId":"s","ENTITY_ID":"e","entity_data":{}}`, "", "", "entity_id is required"},
		{"another case besides", `{"spaceId":"s","SPACEID":"x","entity_id":"e","Entity_id":"x","entity_data":{}}`, "e", `{}`, ""},
		{"half of a surrogate pair", `{"spaceId":"s","entity_id":"\ud800","entity_data":{}}`, "", "", "entity_id must not contain half of a surrogate pair"},
		{"half of a surrogate pair deeper", `{"spaceId":"s","entity_id":"e","entity_data":{"a":[{"b":"\udfff"}]}}`, "", "", "entity_data.a.0.b must not contain half of a surrogate pair"},
		{"exact numbers", `{"spaceId":"s","entity_id":"e","entity_data":{"n":12345678901234567890,"f":1.10}}`, "e", `{"n":12345678901234567890,"f":1.10}`, ""},
		{"no escapes", `{"spaceId":"s","entity_id":"e","entity_data":{"h":"<&>"}}`, "e", `{"h":"<&>"}`, ""},
		{"nothing", ``, "", "", "spaceId is required"},
		{"null", `null`, "", "", "spaceId is required"},
		{"a null field", `{"spaceId":"s","entity_id":"e","entity_data":null}`, "", "", "entity_data is required and must be an object"},
		{"no object", `{"spaceId":"s","entity_id":"e"}`, "", "", "entity_data is required and must be an object"},
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
				if field, _, ok := strings.Cut(test.wrong, " is required"); ok {
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

func TestDecode_understands_the_other_spelling_below_lists(t *testing.T) {
	t.Parallel()
	var in changesInput
	check(t, decode(json.RawMessage(`{"space_id":"s","lockToken":"l","dry_run":true,
		"puts":[{"path":"space/assets/a","resourceKey":"k"},null,{"path":"b","content":"<&>"}]}`), inputSchema[changesInput](nil), &in))
	equal(t, "lock_token", in.LockToken, "l")
	equal(t, "dryRun", *in.DryRun, true)
	equal(t, "resource_key", *in.Puts[0].ResourceKey, "k")
	equal(t, "content", *in.Puts[2].Content, "<&>")
}

func TestDecode_takes_whole_numbers_with_a_fraction(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"5.0": "", "5": "", "0.5e1": "", "5.5": "number must be a whole number", `"5"`: "number must be a whole number"} {
		var in versionInput
		err := decode(json.RawMessage(`{"spaceId":"s","number":`+text+`}`), inputSchema[versionInput](nil), &in)
		if want != "" {
			equal(t, text, model.AsError(err).Message, want)
			continue
		}
		check(t, err)
		equal(t, text, in.Number, 5)
	}
	var in listSpacesInput
	check(t, decode(json.RawMessage(`{"limit":20.0}`), inputSchema[listSpacesInput](nil), &in))
	equal(t, "limit", int(*in.Limit), 20)
}
