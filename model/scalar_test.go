package model

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestTime_has_one_format(t *testing.T) {
	t.Parallel()
	cet := time.FixedZone("CET", 3600)
	for _, test := range []struct {
		name string
		time Time
		want string
	}{
		{"keeps_milliseconds_that_are_0", Time{time.Date(2026, 1, 27, 10, 0, 0, 0, time.UTC)}, `"2026-01-27T10:00:00.000Z"`},
		{"cuts_what_is_finer", Time{time.Date(2026, 1, 27, 10, 0, 0, 999_999_999, time.UTC)}, `"2026-01-27T10:00:00.999Z"`},
		{"is_in_UTC", Time{time.Date(2026, 1, 1, 0, 30, 0, 5_000_000, cet)}, `"2025-12-31T23:30:00.005Z"`},
		{"is_null_for_no_moment", Time{}, `null`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			encoded, err := json.Marshal(test.time)
			check(t, err)
			if got := string(encoded); got != test.want {
				t.Errorf("JSON: got %s, want %s", got, test.want)
			}
			var b bytes.Buffer
			test.time.MarshalGQL(&b)
			if got := b.String(); got != test.want {
				t.Errorf("GraphQL: got %s, want %s", got, test.want)
			}
		})
	}
}

func TestTime_through_the_database(t *testing.T) {
	t.Parallel()
	now := Now()
	if now.Location() != time.UTC || now.Nanosecond()%1000 != 0 {
		t.Errorf("Now: got %v, want UTC and whole microseconds", now.Time)
	}
	value, err := now.Value()
	check(t, err)
	var read Time
	check(t, read.Scan(value.(time.Time).In(time.FixedZone("CET", 3600))))
	if read != now {
		t.Errorf("read again: got %v, want %v", read, now)
	}
	none, err := Time{}.Value()
	check(t, err)
	check(t, read.Scan(nil))
	if none != nil || !read.IsZero() {
		t.Errorf("no moment: got %v and %v, want NULL and zero", none, read)
	}
	if err := read.Scan("yesterday"); err == nil {
		t.Error("Scan of text: got no error, want one")
	}
}

func TestTime_UnmarshalGQL(t *testing.T) {
	t.Parallel()
	var got Time
	check(t, got.UnmarshalGQL("2026-01-27T11:00:00.5+01:00"))
	if want := "2026-01-27T10:00:00.500Z"; got.String() != want {
		t.Errorf("time: got %s, want %s", got, want)
	}
	for _, bad := range []any{"yesterday", "", 5, nil} {
		if err := got.UnmarshalGQL(bad); err == nil {
			t.Errorf("UnmarshalGQL(%v): got no error, want one", bad)
		}
	}
}

// gqlgen hands variables over as maps whose numbers are json.Number, literals
// with Go's numbers.
func TestObject_UnmarshalGQL(t *testing.T) {
	t.Parallel()
	var variable any
	decoder := json.NewDecoder(strings.NewReader(
		`{"big":12345678901234567890,"exact":1.10,"huge":1e400,"text":"<b>&\u2028</b>","list":[null,true,{}]}`))
	decoder.UseNumber()
	check(t, decoder.Decode(&variable))
	for _, test := range []struct {
		name string
		in   any
		want string // "" for an error
	}{
		{"keeps_the_text_of_numbers", variable, `{"big":12345678901234567890,"exact":1.10,"huge":1e400,"list":[null,true,{}],"text":"<b>&\u2028</b>"}`},
		{"takes_literals", map[string]any{"i": int64(7), "f": 1.5, "s": "a&b"}, `{"f":1.5,"i":7,"s":"a&b"}`},
		{"takes_no_fields", map[string]any{}, `{}`},
		{"refuses_a_list", []any{1}, ""},
		{"refuses_a_string", `{"a":1}`, ""},
		{"refuses_a_number", json.Number("1"), ""},
		{"refuses_null", nil, ""},
		{"refuses_a_number_that_is_none", map[string]any{"a": json.Number("x")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got Object
			err := got.UnmarshalGQL(test.in)
			if (err != nil) != (test.want == "") || string(got) != test.want {
				t.Errorf("object: got %s, %v, want %q", got, err, test.want)
			}
			if err != nil {
				return
			}
			var b bytes.Buffer
			got.MarshalGQL(&b)
			if b.String() != test.want {
				t.Errorf("written again: got %s, want %s", b.String(), test.want)
			}
		})
	}
}

func TestObject_in_JSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, in, want, wantError string
	}{
		{"keeps_the_bytes", `{"o": {"b":1.10, "a":12345678901234567890}}`, `{"b":1.10, "a":12345678901234567890}`, ""},
		{"has_none_for_null", `{"o":null}`, "", ""},
		{"has_none_where_it_is_missing", `{}`, "", ""},
		{"refuses_a_list", `{"o":[]}`, "", "array"},
		{"refuses_a_string", `{"o":"{}"}`, "", "string"},
		{"refuses_a_number", `{"o":-1}`, "", "number"},
		{"refuses_a_bool", `{"o":true}`, "", "bool"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var body struct{ O Object }
			err := json.Unmarshal([]byte(test.in), &body)
			if test.wantError != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantError) {
					t.Errorf("error: got %v, want %q in it", err, test.wantError)
				}
				return
			}
			check(t, err)
			if got := string(body.O); got != test.want || (body.O == nil) != (test.want == "") {
				t.Errorf("object: got %q, want %q", got, test.want)
			}
		})
	}
}

func TestParseObject_copies_the_object_and_refuses_other_JSON(t *testing.T) {
	t.Parallel()
	from := []byte(` {"a":1} `)
	got, err := ParseObject(from)
	check(t, err)
	from[2] = 'X'
	if want := `{"a":1}`; string(got) != want {
		t.Errorf("object: got %s, want a copy of %s", got, want)
	}
	for _, bad := range []string{"", " ", "null", "[]", "1", `"a"`, `{`, `{"a":}`, `{} {}`, `{'a':1}`} {
		if got, err := ParseObject([]byte(bad)); err == nil {
			t.Errorf("ParseObject(%q): got %s, want an error", bad, got)
		}
	}
}

func TestObject_With(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, smaller, larger, want string }{
		{"lays_fields_over", `{"a":1,"b":2}`, `{"b":1.10,"c":null}`, `{"a":1,"b":1.10,"c":null}`},
		{"starts_from_none", ``, `{"a":"<&>"}`, `{"a":"<&>"}`},
		{"adds_none", `{"a":1}`, ``, `{"a":1}`},
		{"does_not_merge_deeper", `{"a":{"x":1}}`, `{"a":{"y":1}}`, `{"a":{"y":1}}`},
		{"makes_an_object_of_none", ``, ``, `{}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := string(Object(test.smaller).With(Object(test.larger))); got != test.want {
				t.Errorf("With: got %s, want %s", got, test.want)
			}
		})
	}
}

func TestObject_through_the_database(t *testing.T) {
	t.Parallel()
	for _, src := range []any{[]byte(`{"a":1.10}`), `{"a":1.10}`} {
		var got Object
		check(t, got.Scan(src))
		value, err := got.Value()
		check(t, err)
		if want := `{"a":1.10}`; value != want {
			t.Errorf("through %T: got %v, want %s", src, value, want)
		}
	}
	var none Object
	check(t, none.Scan(nil))
	value, err := none.Value()
	check(t, err)
	if none != nil || value != nil {
		t.Errorf("NULL: got %v and %v, want none", none, value)
	}
	if err := none.Scan(5); err == nil {
		t.Error("Scan of a number: got no error, want one")
	}
	if got, want := string(none.OrEmpty()), "{}"; got != want {
		t.Errorf("OrEmpty: got %s, want %s", got, want)
	}
	encoded, err := json.Marshal(none)
	check(t, err)
	if got, want := string(encoded), "null"; got != want {
		t.Errorf("no object as JSON: got %s, want %s", got, want)
	}
}

func TestCheckObject(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		return `{"a":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
	}
	for _, test := range []struct{ name, data, want string }{
		{"allows_none", ``, ""},
		{"allows_true_and_false", `{"a":true,"b":[false,null]}`, ""},
		{"allows_numbers_of_real_programs", `{"a":[1e400,-1.5E-308,1e+5,12345678901234567890]}`, ""},
		{"refuses_a_number_of_too_many_digits", `{"a":1e401}`, "data has a number with an exponent beyond 400"},
		{"refuses_a_number_of_too_many_places", `{"a":1E-100000}`, "data has a number with an exponent beyond 400"},
		{"refuses_an_exponent_beyond_any_number", `{"a":1e99999999999999999999}`, "data has a number with an exponent beyond 400"},
		{"reads_no_numbers_in_texts", `{"1e999":"1e999 \"1e999 [[["}`, ""},
		{"allows_many_brackets_side_by_side", `{"a":[` + strings.Repeat("[],", 2000) + `1]}`, ""},
		{"allows_some_depth", nested(1000), ""},
		{"refuses_more", nested(1001), "data is nested more than 1000 deep"},
		{"refuses_what_is_not_UTF-8", "{\"a\":\"\xff\"}", "data must be valid UTF-8"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, checkObject("data", Object(test.data)), test.want)
		})
	}
}

func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1.10,"e":[1e5,{"x":"\\\""}]}`, `[]`, `{"a":"1e999"}`, "{\"\xff\":0e0}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		object, err := ParseObject(b)
		if err != nil || checkObject("data", object) != nil {
			return
		}
		if again := object.With(nil); len(again.Fields()) != len(object.Fields()) || checkObject("data", again) != nil {
			t.Errorf("With(nil) of %s: got %s, want the same fields", object, again)
		}
	})
}
