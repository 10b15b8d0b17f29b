package model

import "testing"

// The table of API section 2, and the words of the routes beyond it.
func TestPrivacy_has_the_words_of_the_API(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		word     string
		returned PrivacyWord
		want     Privacy
		invalid  bool
	}{
		{"Public", "Open", Public, false},
		{"Private", "Closed", Private, false},
		{"Link Only", "Link Only", LinkOnly, false},
		{"Open", "Open", Public, false},
		{"Closed", "Closed", Private, false},
		{"public", "public", "public", true},
		{"LINK_ONLY", "LINK_ONLY", "LINK_ONLY", true},
		{"LinkOnly", "LinkOnly", "LinkOnly", true},
		{"open", "open", "open", true},
		{"", "", "", true},
		{" Public", " Public", " Public", true},
	} {
		got := ParsePrivacy(test.word)
		if got != test.want || got.Word() != test.returned {
			t.Errorf("%q: got %q, returned %q, want %q and %q", test.word, got, got.Word(), test.want, test.returned)
		}
		want := ""
		if test.invalid {
			want = "Invalid privacy option"
		}
		checkInvalid(t, got.Validate(), want)
		checkInvalid(t, UpdateSpacePrivacy{Privacy: got}.Validate(), want)
		checkInvalid(t, UpdateSpace{Privacy: &got}.Validate(), want)
		checkInvalid(t, CreateSpace{Privacy: &got}.Validate(), want)
	}
}
