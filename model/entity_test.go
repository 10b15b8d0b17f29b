package model

import (
	"regexp"
	"strings"
	"testing"
)

func TestCreateEntity_Validate(t *testing.T) {
	t.Parallel()
	const wantID = "entity_id must have 1 to 128 letters, digits, dots, underscores or hyphens"
	for _, test := range []struct {
		name string
		in   CreateEntity
		want string
	}{
		{"allows_nothing", CreateEntity{}, ""},
		{"allows_an_id", CreateEntity{EntityID: ptr("My_entity-1.0")}, ""},
		{"allows_a_long_id", CreateEntity{EntityID: ptr(strings.Repeat("a", 128))}, ""},
		{"refuses_a_longer_id", CreateEntity{EntityID: ptr(strings.Repeat("a", 129))}, wantID},
		{"refuses_an_empty_id", CreateEntity{EntityID: ptr("")}, wantID},
		{"allows_three_dots", CreateEntity{EntityID: ptr("...")}, ""},
		{"refuses_one_dot", CreateEntity{EntityID: ptr(".")}, "entity_id must not be . or .."},
		{"refuses_two_dots", CreateEntity{EntityID: ptr("..")}, "entity_id must not be . or .."},
		{"refuses_a_slash", CreateEntity{EntityID: ptr("a/b")}, wantID},
		{"refuses_a_space", CreateEntity{EntityID: ptr("a b")}, wantID},
		{"refuses_an_umlaut", CreateEntity{EntityID: ptr("ü")}, wantID},
		{"refuses_a_line_break", CreateEntity{EntityID: ptr("a\n")}, wantID},
		{"allows_any_type", CreateEntity{Type: ptr("Türe 1")}, ""},
		{"refuses_an_empty_type", CreateEntity{Type: ptr("")}, "entity_type must not be empty"},
		{"refuses_a_long_type", CreateEntity{Type: ptr(strings.Repeat("a", 129))}, "entity_type must have at most 128 characters"},
		{"refuses_NUL_in_a_type", CreateEntity{Type: ptr("a\x00")}, "entity_type must not contain a NUL character"},
		{"refuses_bytes_in_a_type", CreateEntity{Type: ptr("\xff")}, "entity_type must be valid UTF-8"},
		{"allows_a_dynamicGate", CreateEntity{Data: Object(`{"dynamicGate":{}}`)}, ""},
		{"allows_a_dynamicGate_of_null", CreateEntity{Data: Object(`{"dynamicGate":null}`)}, ""},
		{"refuses_another_dynamicGate", CreateEntity{Data: Object(`{"dynamicGate":[]}`)}, "entity_data.dynamicGate must be an object"},
		{"refuses_data_out_of_bounds", CreateEntity{Data: Object(`{"a":1e9999}`)}, "entity_data has a number with an exponent beyond 400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, test.in.Validate(), test.want)
		})
	}
}

func TestUpdateEntity_Validate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		data Object
		want string
	}{
		{"needs_data", nil, "entity_data is required and must be an object"},
		{"allows_no_fields", Object(`{}`), ""},
		{"refuses_a_dynamicGate_that_is_a_number", Object(`{"dynamicGate":1}`), "entity_data.dynamicGate must be an object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, UpdateEntity{Data: test.data}.Validate(), test.want)
		})
	}
}

func TestCreateEntity_Entity(t *testing.T) {
	t.Parallel()
	uuid := `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`
	for _, test := range []struct {
		name             string
		in               CreateEntity
		file             *File
		id, kind, data   string
		wantStaticGateOf bool
	}{
		{"bare", CreateEntity{}, nil, uuid, TypeSimple, `{}`, false},
		{"with_all", CreateEntity{EntityID: ptr("e"), Type: ptr("Note"), Data: Object(`{"a":1.10}`)}, nil, "^e$", "Note", `{"a":1.10}`, false},
		{
			"of_a_model", CreateEntity{}, &File{ResourceKey: "api_uploads/x.glb"}, `^user-model-[0-9a-f]{16}$`, TypeUserModel,
			`{"position":[0,0,0],"rotation":{"x":0,"y":0,"z":0},"scale":[1,1,1]}`, false,
		},
		{
			"of_a_splat", CreateEntity{EntityID: ptr("s"), Data: Object(`{"scale":2,"label":"L"}`)}, &File{ResourceKey: "x.SPZ"}, `^s$`, TypeUserModel,
			`{"label":"L","position":[0,0,0],"rotation":{"x":0,"y":0,"z":180},"scale":2}`, false,
		},
		{
			"of_a_file_is_always_a_model", CreateEntity{Type: ptr("Note")}, &File{ResourceKey: "x.png"}, `^user-model-`, TypeUserModel,
			`{"position":[0,0,0],"rotation":{"x":0,"y":0,"z":0},"scale":[1,1,1]}`, false,
		},
		{"of_a_static_gate", CreateEntity{Type: ptr(TypeGate)}, nil, uuid, TypeGate, `{}`, true},
		{"with_the_id_of_a_static_gate", CreateEntity{EntityID: ptr(StaticGateIDs[6])}, nil, StaticGateIDs[6], TypeSimple, `{}`, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.in.SpaceID = "space"
			got := test.in.Entity(test.file)
			if got.SpaceID != "space" || !regexp.MustCompile(test.id).MatchString(got.EntityID) || got.Type != test.kind {
				t.Errorf("entity: got %s %s of %s, want %s %s of space", got.Type, got.EntityID, got.SpaceID, test.kind, test.id)
			}
			if string(got.Data) != test.data || string(got.State) != "{}" {
				t.Errorf("data: got %s and %s, want %s and {}", got.Data, got.State, test.data)
			}
			if got.CreatedAt.IsZero() || got.CreatedAt != got.ChangedAt {
				t.Errorf("times: got %v and %v, want now, twice", got.CreatedAt, got.ChangedAt)
			}
			if got := test.in.IsStaticGate(); got != test.wantStaticGateOf {
				t.Errorf("IsStaticGate: got %v, want %v", got, test.wantStaticGateOf)
			}
		})
	}
}

func TestCreateEntity_AsUpdate(t *testing.T) {
	t.Parallel()
	got := CreateEntity{SpaceID: "s", EntityID: ptr("e")}.AsUpdate()
	if got.SpaceID != "s" || got.EntityID != "e" || string(got.Data) != "{}" {
		t.Errorf("update: got %+v, want the update of s and e without fields", got)
	}
}

func TestNewGLBURL_is_not_escaped(t *testing.T) {
	t.Parallel()
	if got, want := string(NewGLBURL("https://a/b?c=1&d=<e>")), `{"glbUrl":"https://a/b?c=1&d=<e>"}`; got != want {
		t.Errorf("data: got %s, want %s", got, want)
	}
}

func TestIDs_have_their_form_and_differ(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		id   func() string
		want string
	}{
		"token": {Token, `^[a-z2-7]{26}$`},
		"space": {func() string { return NewSpaceID("12345678") }, `^12345678_[a-z2-7]{26}$`},
		"model": {NewModelID, `^user-model-[0-9a-f]{16}$`},
	} {
		first, second := test.id(), test.id()
		if !regexp.MustCompile(test.want).MatchString(first) || first == second {
			t.Errorf("%s: got %q and %q, want two of the form %s", name, first, second, test.want)
		}
	}
	entity := Entity{SpaceID: "s", EntityID: "e", Type: TypeDynamicGate}
	if got, want := entity.ID(), "s/e"; got != want || !entity.IsGate() {
		t.Errorf("entity: got %s, gate %v, want %s, a gate", got, entity.IsGate(), want)
	}
}
