// Package asset serves the fixed files of pages, such as scripts and styles: compressed once,
// with an ETag, for a client that may keep them. Packages below web use it.
package asset
