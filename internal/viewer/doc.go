// Package viewer tests that what we convert captures to can be seen: it loads
// streamed SOG and bundles in the PlayCanvas engine, in Chromium, from a server of
// another origin, and compares what is on the screen with a picture that package
// splat/picture draws of the capture itself. It has nothing but tests.
//
// Folder node holds the page, the script that drives the browser and the exact
// versions of the packages, which are installed once into the user's cache folder.
// Without Node, npm's registry or Chromium the tests are skipped.
package viewer
