package model

import (
	"regexp"
	"strings"
	"testing"
)

func TestSpace_inputs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name               string
		title, description *string
		data               Object
		want               string
	}{
		{"allow_nothing", nil, nil, nil, ""},
		{"allow_empty_texts", ptr(""), ptr(""), Object(`{}`), ""},
		{"allow_500_characters", ptr(strings.Repeat("ü", 500)), nil, nil, ""},
		{"refuse_a_longer_title", ptr(strings.Repeat("a", 501)), nil, nil, "title must have at most 500 characters"},
		{"refuse_NUL_in_a_title", ptr("\x00"), nil, nil, "title must not contain a NUL character"},
		{"refuse_bytes_in_a_title", ptr("\xff"), nil, nil, "title must be valid UTF-8"},
		{"refuse_a_long_description", nil, ptr(strings.Repeat("a", 20_001)), nil, "description must have at most 20000 characters"},
		{"refuse_data_out_of_bounds", nil, nil, Object(`{"a":1e9999}`), "data has a number with an exponent beyond 400"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			checkInvalid(t, CreateSpace{SpaceTextInput: SpaceTextInput{Title: test.title, Description: test.description}, Data: test.data}.Validate(), test.want)
			checkInvalid(t, UpdateSpace{SpaceTextInput: SpaceTextInput{Title: test.title, Description: test.description}, Data: test.data}.Validate(), test.want)
		})
	}
	checkInvalid(t, CreateSpace{Type: ptr(SpaceHub)}.Validate(), "")
	checkInvalid(t, CreateSpace{Type: ptr(SpaceType("room"))}.Validate(), "space_type must be hub or infinite")
}

func TestNewSpace(t *testing.T) {
	t.Parallel()
	file := &File{Name: "My Scan.ply"}
	for _, test := range []struct {
		name string
		in   CreateSpace
		file *File
		want Space
	}{
		{"has_defaults", CreateSpace{}, nil, Space{SpaceTexts: SpaceTexts{Title: "Untitled space"}, Type: SpaceInfinite, Privacy: Private, Data: Object(`{}`)}},
		{"is_named_after_its_file", CreateSpace{}, file, Space{SpaceTexts: SpaceTexts{Title: "My Scan"}, Type: SpaceInfinite, Privacy: Private, Data: Object(`{}`)}},
		{"takes_an_empty_title_for_none", CreateSpace{SpaceTextInput: SpaceTextInput{Title: ptr("")}}, file, Space{SpaceTexts: SpaceTexts{Title: "My Scan"}, Type: SpaceInfinite, Privacy: Private, Data: Object(`{}`)}},
		{
			"takes_all_that_is_set",
			CreateSpace{SpaceTextInput: SpaceTextInput{Title: ptr("T"), Description: ptr("D")}, Type: ptr(SpaceHub), Privacy: ptr(Public), Data: Object(`{"a":1}`)}, file,
			Space{SpaceTexts: SpaceTexts{Title: "T", Description: "D"}, Type: SpaceHub, Privacy: Public, Data: Object(`{"a":1}`)},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := NewSpace("12345678", test.in, test.file)
			if !regexp.MustCompile(`^12345678_[a-z2-7]{26}$`).MatchString(got.ID) || got.OwnerID != "12345678" {
				t.Errorf("id: got %s of %s, want one that begins with its owner's", got.ID, got.OwnerID)
			}
			if got.Title != test.want.Title || got.Description != test.want.Description || got.Type != test.want.Type ||
				got.Privacy != test.want.Privacy || string(got.Data) != string(test.want.Data) || got.CreatedAt != got.ChangedAt {
				t.Errorf("space: got %+v, want %+v", got, test.want)
			}
		})
	}
}
