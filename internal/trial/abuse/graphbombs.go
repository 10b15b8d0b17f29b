package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// graphBombs returns small GraphQL documents that ask for a lot.
func graphBombs() []bomb {
	var bombs []bomb
	for _, d := range []struct{ what, document string }{
		{"a document 400 levels deep", strings.Repeat("{spaces{nodes{owner", 133) + "{id}" + strings.Repeat("}}}", 133)},
		{"1,000 aliases", "{" + repeatNumbered(450, "a%d:viewer{id} ") + "}"},
		{"fragments that double 20 times", doublingFragments(20)},
		{"fragments that spread each other", "{...A} fragment A on Query{...B} fragment B on Query{...A}"},
		{"a fragment that spreads itself", "{...A} fragment A on Query{...A}"},
		{"a document over 32 KiB", "{viewer{id}}#" + strings.Repeat("x", 200<<10)},
		{"100,000 tokens", "{" + strings.Repeat("a ", 15_000) + "}"},
		{"1,000 directives", "{viewer" + strings.Repeat(" @a", 900) + "{user{id}}}"},
		{"1,000 directives that are known", "{viewer" + strings.Repeat(" @skip(if:false)", 320) + "{user{id}}}"},
		{"lists nested in a value", "{spaces(filter:" + strings.Repeat("[", 900) + strings.Repeat("]", 900) + "){nodes{id}}}"},
		{"lists of lists of lists", "{publicSpaces(first:200){nodes{owner{spaces(first:200){nodes{entities(first:200){nodes{entityId}}}}}}}}"},
		{"1,000 operations", repeatNumbered(300, "query q%d{viewer{id}} ")},
		{"1,000 variables", "query(" + repeatNumbered(400, "$v%d:Int ") + "){viewer{id}}"},
		{"the same field 1,000 times", "{viewer{spaces{" + strings.Repeat("nope ", 900) + "}}}"},
		{"a string that does not end", `{user(id:"` + strings.Repeat("x", 20_000)},
		{"types of types of types", "{__schema{types{fields{type" + strings.Repeat("{fields{type", 200) + "{name}" + strings.Repeat("}}", 200) + "}}}}"},
	} {
		bombs = append(bombs, graphBomb(d.what, d.document))
	}
	refused := []int{http.StatusBadRequest}
	batch := "[" + strings.Repeat(`{"query":"{viewer{id}}"},`, 5000) + `{"query":"{viewer{id}}"}]`
	multipart := map[string]string{"Content-Type": "multipart/form-data; boundary=b"}
	return append(bombs,
		bomb{"a batch of 5,000", "POST", "/graphql", nil, []byte(batch), refused, "errors"},
		bomb{"a batch over multipart", "POST", "/graphql", multipart, []byte("--b\r\n" + strings.Repeat("Content-Disposition: form-data\r\n", 1000) + "\r\n"), []int{http.StatusUnsupportedMediaType}, ""},
	)
}

// graphBomb returns a bomb of the media type whose errors have statuses.
func graphBomb(what, document string) bomb {
	body, _ := json.Marshal(map[string]string{"query": document}) // a string alone: never fails
	accept := map[string]string{"Accept": "application/graphql-response+json"}
	return bomb{what, "POST", "/graphql", accept, body, []int{http.StatusBadRequest}, `"errors"`}
}

// repeatNumbered returns n copies of the text, with their numbers in it.
func repeatNumbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// doublingFragments returns fragments that each spread the next one twice.
func doublingFragments(n int) string {
	var b strings.Builder
	b.WriteString("{...F0}")
	for i := range n {
		fmt.Fprintf(&b, " fragment F%d on Query{...F%d ...F%d}", i, i+1, i+1)
	}
	fmt.Fprintf(&b, " fragment F%d on Query{viewer{id}}", n)
	return b.String()
}
