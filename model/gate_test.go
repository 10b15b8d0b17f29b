package model

import (
	"strings"
	"testing"
)

const someSpace = "12345678_abcdef"

// The API's rule for platform and link, after the merge.
func TestValidateGate_platform(t *testing.T) {
	t.Parallel()
	const (
		wantInternal = "entity_data.platform must be arrival.space for a link to a space"
		wantExternal = "entity_data.platform must be <auto-detect> for a link to a URL"
		wantLink     = "entity_data.link must be empty, a space id, or an http or https URL"
	)
	for _, test := range []struct{ name, data, want string }{
		{"nothing_is_set", `{}`, ""},
		{"empty_link_and_internal", `{"link":"","platform":"arrival.space"}`, ""},
		{"empty_link_and_external", `{"link":"","platform":"<auto-detect>"}`, ""},
		{"empty_link_and_anything", `{"link":"","platform":"x"}`, ""},
		{"space_and_internal", `{"link":"` + someSpace + `","platform":"arrival.space"}`, ""},
		{"space_and_external", `{"link":"` + someSpace + `","platform":"<auto-detect>"}`, wantInternal},
		{"space_and_nothing", `{"link":"` + someSpace + `"}`, wantInternal},
		{"URL_and_external", `{"link":"https://a.example/?q=1","platform":"<auto-detect>"}`, ""},
		{"URL_in_capitals", `{"link":"HTTP://A.EXAMPLE","platform":"<auto-detect>"}`, ""},
		{"URL_with_a_percent_sign", `{"link":"https://example.com/50%off","platform":"<auto-detect>"}`, ""},
		{"URL_with_a_percent_sign_and_internal", `{"link":"https://example.com/50%off","platform":"arrival.space"}`, wantExternal},
		{"URL_with_a_user", `{"link":"https://a%:b@example.com:8080?50%","platform":"<auto-detect>"}`, ""},
		{"URL_with_a_port_alone", `{"link":"http://:80/","platform":"<auto-detect>"}`, wantLink},
		{"URL_with_a_user_alone", `{"link":"http://a@/","platform":"<auto-detect>"}`, wantLink},
		{"URL_with_a_line_break", `{"link":"http://a.example/\n","platform":"<auto-detect>"}`, wantLink},
		{"clients_link_to_a_space", `{"link":"custom.travel.center.` + someSpace + `","platform":"arrival.space"}`, ""},
		{"clients_link_to_a_space_and_external", `{"link":"custom.travel.center.` + someSpace + `","platform":"<auto-detect>"}`, wantInternal},
		{"clients_link_to_nothing", `{"link":"custom.travel.center.","platform":"arrival.space"}`, wantLink},
		{"other_words_with_dots", `{"link":"custom.other.center.` + someSpace + `","platform":"arrival.space"}`, wantLink},
		{"URL_and_internal", `{"link":"https://a.example","platform":"arrival.space"}`, wantExternal},
		{"URL_and_null", `{"link":"https://a.example","platform":null}`, wantExternal},
		{"script", `{"link":"javascript:alert(1)","platform":"<auto-detect>"}`, wantLink},
		{"URL_without_host", `{"link":"https://","platform":"<auto-detect>"}`, wantLink},
		{"URL_of_files", `{"link":"file:///etc/passwd","platform":"<auto-detect>"}`, wantLink},
		{"words", `{"link":"my space","platform":"arrival.space"}`, wantLink},
		{"null_link", `{"link":null,"platform":"arrival.space"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, ValidateGate(TypeGate, Object(test.data)), test.want)
		})
	}
}

func TestValidateGate_field_types(t *testing.T) {
	t.Parallel()
	refusals := map[string]string{"string": "must be a string", "boolean": "must be true or false", "number": "must be a number"}
	for name, kind := range map[string]string{
		"title": "string", "link": "string", "platform": "string", "description": "string",
		"videoURL": "string", "logoURL": "string", "logoLinkURL": "string",
		"content360Enabled": "boolean", "contentSynchronized": "boolean", "openAsTab": "boolean",
		"enableWebStream": "boolean", "enableWebProxy": "boolean", "embeddedEnabled": "boolean", "screenSelect": "number",
	} {
		for value, is := range map[string]string{
			`""`: "string", `true`: "boolean", `false`: "boolean", `0`: "number", `-1.5`: "number", `[]`: "array", `{}`: "object", `null`: kind,
		} {
			want := ""
			if is != kind {
				want = "entity_data." + name + " " + refusals[kind]
			}
			checkInvalid(t, ValidateGate(TypeGate, Object(`{"`+name+`": `+value+`}`)), want)
		}
	}
	checkInvalid(t, ValidateGate(TypeGate, Object(`{"title":1,"link":1,"screenSelect":""}`)), "entity_data.title must be a string")
	checkInvalid(t, ValidateGate(TypeGate, Object(`{"ours":1,"label":[]}`)), "")
}

func TestValidateGate_of_a_dynamic_gate(t *testing.T) {
	t.Parallel()
	const whole = `"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":0,"z":0},"scale":{"w":1,"h":1},"frameless":false,"hidden":false`
	const required = "entity_data.dynamicGate is required for a DynamicGate and must be an object"
	replace := func(old, with string) string {
		return `{"dynamicGate":{` + strings.Replace(whole, old, with, 1) + `}}`
	}
	for _, test := range []struct{ name, data, want string }{
		{"whole", replace("", ""), ""},
		{"more_fields", replace(`"x":1`, `"x":1,"w":"?"`), ""},
		{"none", `{}`, required},
		{"null", `{"dynamicGate":null}`, required},
		{"a_list", `{"dynamicGate":[]}`, required},
		{"no_position", replace(`"position"`, `"place"`), "entity_data.dynamicGate.position is required and must be an object"},
		{"no_rotation", replace(`"rotation"`, `"turn"`), "entity_data.dynamicGate.rotation is required and must be an object"},
		{"a_position_in_a_list", replace(`{"x":1,"y":2,"z":3}`, `[1,2,3]`), "entity_data.dynamicGate.position is required and must be an object"},
		{"no_z", replace(`,"z":3`, ``), "entity_data.dynamicGate.position.z must be a number"},
		{"a_text_for_y", replace(`"y":2`, `"y":"2"`), "entity_data.dynamicGate.position.y must be a number"},
		{"null_for_x", replace(`"x":1`, `"x":null`), "entity_data.dynamicGate.position.x must be a number"},
		{"no_height", replace(`,"h":1`, ``), "entity_data.dynamicGate.scale.h must be a number"},
		{"frameless_as_a_text", replace(`"frameless":false`, `"frameless":"no"`), "entity_data.dynamicGate.frameless must be true or false"},
		{"hidden_as_a_number", replace(`"hidden":false`, `"hidden":0`), "entity_data.dynamicGate.hidden must be true or false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, ValidateGate(TypeDynamicGate, Object(test.data)), test.want)
		})
	}
}

func TestFillPlatform(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, data, want string }{
		{"space", `{"link":"` + someSpace + `"}`, `{"link":"` + someSpace + `","platform":"arrival.space"}`},
		{"URL", `{"link":"http://a.example"}`, `{"link":"http://a.example","platform":"<auto-detect>"}`},
		{"clients_link", `{"link":"custom.travel.center.` + someSpace + `"}`, `{"link":"custom.travel.center.` + someSpace + `","platform":"arrival.space"}`},
		{"percent_sign", `{"link":"http://a.example/50%off"}`, `{"link":"http://a.example/50%off","platform":"<auto-detect>"}`},
		{"empty_link", `{"link":""}`, `{"link":""}`},
		{"no_link", `{"title":"a"}`, `{"title":"a"}`},
		{"given", `{"link":"http://a.example","platform":"x"}`, `{"link":"http://a.example","platform":"x"}`},
		{"link_of_another_type", `{"link":5}`, `{"link":5}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := string(FillPlatform(Object(test.data))); got != test.want {
				t.Errorf("data: got %s, want %s", got, test.want)
			}
		})
	}
}

func TestCompleteGate_adds_defaults_but_no_position(t *testing.T) {
	t.Parallel()
	data := CompleteGate(Object(`{"link":"http://a.example","label":1.10,
		"dynamicGate":{"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0},"hidden":true}}`))
	check(t, ValidateGate(TypeDynamicGate, data))
	fields := data.Fields()
	for name, want := range map[string]string{
		"title": `""`, "link": `"http://a.example"`, "platform": `"<auto-detect>"`, "screenSelect": `0`, "openAsTab": `false`, "label": `1.10`,
		"dynamicGate": `{"frameless":false,"hidden":true,"position":{"x":1,"y":2,"z":3},"rotation":{"x":0,"y":90,"z":0},"scale":{"w":1,"h":1}}`,
	} {
		if got := string(fields[name]); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for _, bare := range []string{`{}`, `{"dynamicGate":null}`, `{"dynamicGate":5}`} {
		if err := ValidateGate(TypeDynamicGate, CompleteGate(Object(bare))); err == nil {
			t.Errorf("gate of %s: got no error, want one: it has no position", bare)
		}
	}
}

func TestStaticGateIDs_are_valid_and_distinct(t *testing.T) {
	t.Parallel()
	check(t, ValidateGate(TypeGate, NewGateData()))
	distinct := map[string]bool{}
	for _, id := range StaticGateIDs {
		distinct[id] = true
		if !IsStaticGateID(id) || IsStaticGateID(strings.ToUpper(id)) {
			t.Errorf("IsStaticGateID(%s): got %v, want true, and false in capitals", id, IsStaticGateID(id))
		}
	}
	if got, want := len(distinct), 7; got != want {
		t.Errorf("ids: got %d, want %d", got, want)
	}
	if IsStaticGateID("") {
		t.Error("IsStaticGateID of nothing: got true, want false")
	}
}
