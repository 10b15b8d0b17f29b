// Package proxy runs the proxies of docs/deploy, with the files as they are documented, and sends them
// what the documents promise.
package proxy
