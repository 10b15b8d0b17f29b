// Package asset serves the static files of pages, such as scripts and styles. It compresses each
// file once, and supports caching with an ETag. Only packages below web use it.
package asset
