package page

import (
	"html/template"
	"net/url"
	"regexp"
	"strings"
)

// linkable matches the addresses and the tags in a description. An address ends before the punctuation
// of its sentence.
var linkable = regexp.MustCompile(`https?://[^\s<>"]*[^\s<>".,;:!?)\]}'*]|(?:^|\s)#[\p{L}\p{N}_]{1,50}`)

// linked returns a description in which addresses are links, and tags find the spaces with the same tag.
// Everything else of it is text.
func linked(description string) template.HTML {
	var text strings.Builder
	end := 0
	for _, at := range linkable.FindAllStringIndex(description, -1) {
		found := description[at[0]:at[1]]
		tag := strings.TrimLeft(found, " \t\r\n\u00a0")
		start := at[1] - len(tag)
		template.HTMLEscape(&text, []byte(description[end:start]))
		if strings.HasPrefix(tag, "#") {
			text.WriteString(`<a class="tag" href="/?` + template.HTMLEscapeString(url.Values{paramSearch: {tag}}.Encode()) + `">`)
		} else {
			text.WriteString(`<a href="` + template.HTMLEscapeString(tag) + `" rel="nofollow ugc noopener noreferrer">`)
		}
		template.HTMLEscape(&text, []byte(tag))
		text.WriteString("</a>")
		end = at[1]
	}
	template.HTMLEscape(&text, []byte(description[end:]))
	return template.HTML(text.String()) //nolint:gosec // every part of the text is escaped
}
