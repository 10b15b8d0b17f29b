package model

import "testing"

func TestMailLanguage_is_German_only_if_it_is_preferred(t *testing.T) {
	t.Parallel()
	for accepted, want := range map[string]string{
		"": "en", "de": "de", "DE-at": "de", "fr, de;q=0.5": "de", "en, de": "en", "en;q=0.3, de;q=0.9": "de", "de;q=x, en": "en",
		"de;q=0": "en", "fr": "en",
	} {
		if got := MailLanguage(accepted); got != want {
			t.Errorf("%q: got %q, want %q", accepted, got, want)
		}
	}
}
