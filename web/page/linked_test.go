package page

import "testing"

func TestLinked(t *testing.T) {
	t.Parallel()
	const address = `<a href="https://kiln.example/a?b=c&amp;d" rel="nofollow ugc noopener noreferrer">https://kiln.example/a?b=c&amp;d</a>`
	for text, want := range map[string]string{
		"":                                      "",
		"A kiln.":                               "A kiln.",
		"See https://kiln.example/a?b=c&d.":     "See " + address + ".",
		"(https://kiln.example/a?b=c&d)":        "(" + address + ")",
		"a\n#Kiln, b":                           "a\n" + `<a class="tag" href="/?q=%23Kiln">#Kiln</a>, b`,
		"a#b & # c":                             "a#b &amp; # c",
		"javascript:alert(1)":                   "javascript:alert(1)",
		`https://x/" onclick="alert(1)`:         `<a href="https://x/" rel="nofollow ugc noopener noreferrer">https://x/</a>&#34; onclick=&#34;alert(1)`,
		"<a href=https://x.example>":            `&lt;a href=<a href="https://x.example" rel="nofollow ugc noopener noreferrer">https://x.example</a>&gt;`,
		"https://x/'><script>alert(1)</script>": `<a href="https://x/" rel="nofollow ugc noopener noreferrer">https://x/</a>&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;`,
	} {
		if got := string(linked(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
