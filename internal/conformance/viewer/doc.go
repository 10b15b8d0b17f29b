// Package viewer tests that converted captures are displayed correctly. It loads streamed SOGs and
// bundles with the PlayCanvas engine in Chromium, from a server on another origin, and compares
// screenshots with pictures of the captures that package splat/picture renders. It contains only
// tests.
//
// Folder node contains the page, the script that controls the browser, and the exact versions of
// the packages, which are installed once in the user's cache folder. Without Node, npm's registry
// or Chromium, the tests are skipped.
package viewer
