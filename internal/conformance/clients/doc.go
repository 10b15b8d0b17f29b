// Package clients tests the server with clients of other authors: the audits of graphql-http,
// graphql-ws, graphql-sse, eventsource, a plain WebSocket, oauth4webapi, tus-js-client,
// standardwebhooks, and both versions of the SDK of the Model Context Protocol with its conformance
// tool and its inspector. In Chromium it tests a
// page of another site, the sign-in pages (which axe also checks), and the playground. It contains
// only tests.
//
// Folder node contains the scripts and the exact versions of the packages, which are installed once
// in the user's cache folder. A script runs its scenarios in parallel and prints a line of JSON for
// each. Every scenario is a subtest. Without Node the tests are skipped, with a Node before
// version 22 the conformance tool and the inspector, and without Chromium the tests of pages.
package clients
