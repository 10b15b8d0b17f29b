package main

import "portico/model"

// filePut is a file in a change set. It has either Content or ResourceKey.
type filePut struct {
	Path string `json:"path"`
	// Content is the new content: the text itself, or base64 if Encoding is "base64". A pointer,
	// because an empty file differs from a file without content.
	Content  *string `json:"content,omitempty"`
	Encoding string  `json:"encoding,omitempty"`
	// ResourceKey is a file of the account that becomes the asset. The bytes were uploaded before.
	ResourceKey string `json:"resource_key,omitempty"`
}

// changeSet is the body of a change set. The server makes all changes or none.
type changeSet struct {
	// Puts are created or replaced, and Deletes are paths.
	Puts    []filePut `json:"puts"`
	Deletes []string  `json:"deletes"`
	// Expected are the hashes that the files had at the last pull. If the server has another
	// version of one of them, it refuses the whole change set, so a push never overwrites the work
	// of somebody else.
	Expected []model.ExpectedFile `json:"expected"`
}

// maxInlineBytes is the maximum size of all assets inside a change set, in bytes. Further assets
// are uploaded first. In base64 they take a third more, which leaves most of the limit of a change
// set, 36 MiB, for texts.
const maxInlineBytes = 8 << 20
