package main

import "portico/model"

// filePut is a file in a change set.
type filePut struct {
	Path        string  `json:"path"`
	Content     *string `json:"content,omitempty"`
	Encoding    string  `json:"encoding,omitempty"`
	ResourceKey string  `json:"resource_key,omitempty"`
}

// changeSet is the body of a change set.
type changeSet struct {
	Puts     []filePut            `json:"puts"`
	Deletes  []string             `json:"deletes"`
	Expected []model.ExpectedFile `json:"expected"`
}

// maxInlineBytes is the maximum size of all assets inside a change set, in bytes. Further assets
// are uploaded first.
const maxInlineBytes = 8 << 20
