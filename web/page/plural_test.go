package page

import (
	"testing"

	"portico/web/style"
)

func TestCount_takes_the_form_of_the_language(t *testing.T) {
	t.Parallel()
	languages, err := readLanguages(style.Brand{})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		tag  string
		n    int64
		want string
	}{
		{"en", 0, "0 visits"}, {"en", 1, "1 visit"}, {"en", 2, "2 visits"}, {"de", 0, "0 Besuche"}, {"de", 1, "1 Besuch"},
		{"fr", 0, "0 visite"}, {"fr", 1, "1 visite"}, {"fr", 2, "2 visites"}, {"fr", 1234, "1\u202f234 visites"}, {"fr", 1_000_000, "1\u202f000\u202f000 de visites"},
		{"es", 0, "0 visitas"}, {"es", 1, "1 visita"}, {"es", 3_000_000, "3.000.000 de visitas"},
		{"ja", 1, "訪問 1 回"}, {"zh", 1, "1 次访问"}, {"zh", 1234, "1,234 次访问"},
	} {
		got, err := languageOf(languages, row.tag).count("visits", row.n)
		if err != nil || got != row.want {
			t.Errorf("%d in %s: got %q, %v, want %q", row.n, row.tag, got, err, row.want)
		}
	}
}
