package model

import "testing"

func TestPreferredLanguage_is_the_one_of_ours_that_the_header_prefers(t *testing.T) {
	t.Parallel()
	for accepted, want := range map[string]string{
		"": "en", "de": "de", "DE-at": "de", "it, de;q=0.5": "de", "en, de": "en", "en;q=0.3, de;q=0.9": "de", "de;q=x, en": "en",
		"de;q=0": "en", "it": "en", "fr-CA, en;q=0.9": "fr", "es-419": "es", "ja": "ja", "zh-Hant-TW, ja;q=0.9": "zh", "*": "en",
	} {
		if got := PreferredLanguage(accepted); got != want {
			t.Errorf("%q: got %q, want %q", accepted, got, want)
		}
	}
}
