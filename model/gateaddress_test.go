package model

import "testing"

func TestValidateGate_refuses_addresses_that_run(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, data, field string }{
		{"script_behind_the_logo", `{"logoLinkURL":"javascript:alert(1)"}`, "logoLinkURL"},
		{"script_as_video", `{"videoURL":"javascript:alert(1)"}`, "videoURL"},
		{"page_as_logo", `{"logoURL":"data:text/html,<script>alert(1)</script>"}`, "logoURL"},
		{"picture_as_data", `{"logoURL":"data:image/png;base64,AA=="}`, "logoURL"},
		{"in_capitals", `{"videoURL":"JaVaScRiPt:alert(1)"}`, "videoURL"},
		{"behind_spaces_and_controls", `{"videoURL":"\u0000\u001f \tjavascript:alert(1)"}`, "videoURL"},
		{"with_tabs_and_line_breaks", `{"videoURL":"java\tscr\r\nipt\n:alert(1)"}`, "videoURL"},
		{"with_an_escaped_colon", `{"videoURL":"javascript\u003aalert(1)"}`, "videoURL"},
		{"with_invisible_characters", `{"videoURL":"\ufeffjava\u200bscript:alert(1)"}`, "videoURL"},
		{"VBScript", `{"videoURL":"vbscript:x"}`, "videoURL"},
		{"in_a_field_of_the_client", `{"clickAddress":"javascript:alert(1)"}`, "clickAddress"},
		{"nested", `{"looks":{"icons":[{"src":"x"},{"src":"javascript:alert(1)"}]}}`, "looks.icons.1.src"},
		{"in_the_place_of_a_gate", `{"dynamicGate":{"href":"data:,x"}}`, "dynamicGate.href"},
		{"in_a_list_named_as_a_text", `{"title":"x","label":["javascript:alert(1)"]}`, "label.0"},
		{"texts_of_people", `{"title":"Data: the room","description":"javascript: the good parts","a":{"label":"data:"}}`, ""},
		{"names", `{"javascript:":1,"a":{"data:":"x"}}`, ""},
		{"number_over_float64", `{"x":1e400}`, ""},
		{"addresses", `{"logoURL":"https://a.example/javascript:","videoURL":"/data:x","logoLinkURL":"","b":"data","c":null}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			want := ""
			if test.field != "" {
				want = "entity_data." + test.field + " must not be a javascript:, data: or vbscript: address"
			}
			err := ValidateGate(TypeGate, Object(test.data))
			checkInvalid(t, err, want)
			if err != nil && AsError(err).Reason != ReasonGateInvalid {
				t.Errorf("reason: got %q, want %q", AsError(err).Reason, ReasonGateInvalid)
			}
		})
	}
}
