package model

import (
	"slices"
	"strconv"
	"strings"
)

// Languages returns the languages of everything that people read, as primary tags (RFC 5646). The
// first one is the default.
func Languages() []string { return []string{"en", "de", "fr", "es", "ja", "zh"} }

// PreferredLanguage returns the language of ours that an Accept-Language header prefers (RFC 9110
// section 12.5.4): the entry with the highest quality, and of equal ones the first.
func PreferredLanguage(accepted string) string {
	languages := Languages()
	best, quality := languages[0], 0.0
	for entry := range strings.SplitSeq(accepted, ",") {
		tag, weight, weighted := strings.Cut(strings.ReplaceAll(entry, " ", ""), ";q=")
		q, err := strconv.ParseFloat(weight, 64)
		if !weighted {
			q, err = 1, nil
		}
		if language := PrimaryTag(tag); err == nil && q > quality && slices.Contains(languages, language) {
			best, quality = language, q
		}
	}
	return best
}

// PrimaryTag returns the language of a tag such as "de-AT", without its region and script.
func PrimaryTag(tag string) string {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	return primary
}
