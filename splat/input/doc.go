// Package input contains what all readers of captures share: the error that reports a fault in
// the user's file, and the reading of JSON manifests. Packages splat and those below it use it. It
// imports only package folder.
package input
