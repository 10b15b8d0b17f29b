// Package space tests the page of a space in Chromium: strangers open it, see its
// content, walk, and see changes immediately. It contains only tests.
//
// Folder node holds the scripts that control the browser, a test in each file, and the exact
// version of their package, which is installed once into the user's cache folder. Without
// Node, npm's registry or Chromium, the tests are skipped.
package space
