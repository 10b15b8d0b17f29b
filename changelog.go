// Package portico holds what is new in each version, for package server.
package portico

import _ "embed"

// Changelog is what users notice of each version, in Markdown.
//
//go:embed CHANGELOG.md
var Changelog string
