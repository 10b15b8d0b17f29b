// Package browser runs the Node scripts of tests: with exact versions of npm packages, and
// with Chromium where a script opens pages. No program of users may import it.
//
// Tests are skipped where Node or Chromium is missing, or where npm cannot install the
// packages, unless CI is set. Those that need Chromium are also skipped in short runs and
// under the race detector, which sees no code of browsers and doubles their time.
package browser
