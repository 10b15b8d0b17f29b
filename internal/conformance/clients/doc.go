// Package clients tests the server with the clients that others have written: the
// audits of npm graphql-http, graphql-ws, graphql-sse, eventsource, a bare
// WebSocket, oauth4webapi, the SDK of the Model Context Protocol, and in Chromium a
// page of another site, people at the pages of sign-in, which axe looks at too, and at
// the playground. It has nothing but tests.
//
// Folder node holds the scripts and the exact versions of the packages, which are
// installed once into the user's cache folder. A script runs its scenarios at once
// and prints a line of JSON for each; every scenario is a subtest here. Without
// Node the tests are skipped, without Chromium the tests of pages.
package clients
