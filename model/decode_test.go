package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// inner is embedded without being exported, as inputs of tools are.
type inner struct {
	SpaceID string `json:"spaceId"`
}

type decoded struct {
	inner

	Title  *string  `json:"title"`
	Size   *int64   `json:"size,omitempty"`
	Open   bool     `json:"open"`
	Data   Object   `json:"data"`
	Words  []string `json:"words"`
	Nested struct {
		URL string `json:"file_url"`
	} `json:"extra"`
	List []struct {
		Path string `json:"path"`
	} `json:"list"`
	Pointer  *inner   `json:"pointer"`
	Pointers []*inner `json:"pointers"`

	Factor *float64  `json:"factor"`
	Point  []float64 `json:"point"`

	hidden string //nolint:unused // nothing may be stored in it
}

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in  string
		want      decoded
		wantError string
	}{
		{"reads_fields", `{"spaceId":"s","title":"t","size":7,"open":true,"words":["a"],"extra":{"file_url":"u"}}`,
			decoded{inner: inner{"s"}, Title: ptr("t"), Size: ptr(int64(7)), Open: true, Words: []string{"a"}, Nested: struct {
				URL string `json:"file_url"`
			}{"u"}}, ""},
		{"takes_3.0_for_3", `{"size":3.0}`, decoded{Size: ptr(int64(3))}, ""},
		{"refuses_a_number_beyond_64_bits", `{"size":1e19}`, decoded{}, "size must be a whole number"},
		{"keeps_the_bytes_of_objects", `{"data":{"n":12345678901234567890,"f":1.10}}`, decoded{Data: Object(`{"n":12345678901234567890,"f":1.10}`)}, ""},
		{"takes_null_for_nothing", `{"title":null,"open":null,"data":null,"extra":null,"words":null}`, decoded{}, ""},
		{"ignores_names_of_another_case", `{"TITLE":"t","Open":true,"SPACEID":"s","Extra":{"file_url":"u"},"extra":{"FILE_URL":"u"}}`, decoded{}, ""},
		{"reads_a_list_of_objects", `{"list":[{"path":"a"},null,{"PATH":"b"}]}`, decoded{List: []struct {
			Path string `json:"path"`
		}{{"a"}, {}, {}}}, ""},
		{"matches_case_behind_pointers", `{"pointer":{"SPACEID":"s"},"pointers":[{"spaceId":"a"},null,{"SPACEID":"b"}]}`,
			decoded{Pointer: &inner{}, Pointers: []*inner{{"a"}, nil, {}}}, ""},
		{"wants_an_object_behind_a_pointer", `{"pointer":[]}`, decoded{}, "pointer must be an object"},
		{"wants_a_list_of_pointers_to_objects", `{"pointers":{}}`, decoded{}, "pointers must be a list of objects"},
		{"wants_a_string_behind_a_pointer", `{"pointer":{"spaceId":1}}`, decoded{}, "pointer.spaceId must be a string"},
		{"wants_a_list_of_objects", `{"list":{}}`, decoded{}, "list must be a list of objects"},
		{"wants_objects_in_the_list", `{"list":[1]}`, decoded{}, "list.0 must be an object"},
		{"wants_a_string_inside_of_the_list", `{"list":[{},{"path":1}]}`, decoded{}, "list.1.path must be a string"},
		{"ignores_names_of_Go", `{"Title":"t","hidden":"h","":"e","-":1,"inner":{"spaceId":"s"}}`, decoded{}, ""},
		{"takes_the_last_of_a_name", `{"open":false,"open":true}`, decoded{Open: true}, ""},
		{"wants_a_string", `{"title":1}`, decoded{}, "title must be a string"},
		{"wants_a_string_inside", `{"extra":{"file_url":[]}}`, decoded{}, "extra.file_url must be a string"},
		{"wants_an_object", `{"extra":"x"}`, decoded{}, "extra must be an object"},
		{"wants_an_object_of_data", `{"data":[]}`, decoded{}, "data must be an object"},
		{"wants_a_whole_number", `{"size":1.5}`, decoded{}, "size must be a whole number"},
		{"wants_a_number", `{"factor":"2"}`, decoded{}, "factor must be a number"},
		{"wants_a_list_of_numbers", `{"point":[1,"2"]}`, decoded{}, "point must be a list of numbers"},
		{"wants_true_or_false", `{"open":"true"}`, decoded{}, "open must be true or false"},
		{"wants_a_list", `{"words":"a"}`, decoded{}, "words must be a list of strings"},
		{"wants_strings_in_the_list", `{"words":[1]}`, decoded{}, "words must be a list of strings"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got decoded
			err := Decode(Object(test.in), "", &got)
			checkInvalid(t, err, test.wantError)
			if test.wantError != "" {
				return
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(decoded{}, inner{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestDecode_names_the_field_below_its_parent(t *testing.T) {
	t.Parallel()
	var got decoded
	checkInvalid(t, Decode(Object(`{"title":1}`), "space_data", &got), "space_data.title must be a string")
	checkInvalid(t, Decode(Object(`[]`), "space_data", &got), "space_data must be an object")
}
