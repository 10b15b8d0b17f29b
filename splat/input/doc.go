// Package input has what all readers of captures share: the one kind of error that
// blames the user's file, and the reading of JSON manifests. It imports only
// package folder.
package input
