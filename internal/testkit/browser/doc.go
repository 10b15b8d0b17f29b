// Package browser runs the Node scripts of tests, with exact versions of npm packages, and with
// Chromium for scripts that open pages. Only tests may import it.
//
// Tests are skipped if Node or Chromium is missing. They are also skipped if npm cannot install
// the packages, unless CI is set. Tests that need Chromium are also skipped in short runs, and
// under the race detector, which checks no code of browsers and doubles their time.
package browser
