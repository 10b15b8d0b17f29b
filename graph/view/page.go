package view

import "portico/model"

// Page describes the position of a page in its list (API section 4, Entities).
type Page struct {
	Count int `json:"count" jsonschema:"How many items this page has."`
	Total int `json:"total" jsonschema:"How many items there are in all pages together."`
	// NextCursor is null on the last page.
	NextCursor *string `json:"nextCursor" jsonschema:"Pass it as cursor to get the next page; null on the last page."`
	HasMore    bool    `json:"hasMore" jsonschema:"Whether a page follows."`
}

// NewPage returns the position of a page by its page info. It sets NextCursor only if a page
// follows; the page info has an end cursor on the last page too.
func NewPage(count, total int, info model.PageInfo) Page {
	page := Page{Count: count, Total: total, HasMore: info.HasNextPage}
	if info.HasNextPage {
		page.NextCursor = info.EndCursor
	}
	return page
}

// The notices of deletions and of a change of privacy. The specification requires a message, but
// gives no text.
const (
	EntityDeleted  = "Entity deleted"
	SpaceDeleted   = "Space deleted"
	PrivacyUpdated = "Space privacy updated"
)

// Notice is a response that only describes what happened.
type Notice struct {
	Message string `json:"message" jsonschema:"What happened."`
}
