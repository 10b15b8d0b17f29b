// Package playground serves GraphiQL, with which people try GraphQL in a browser. The page and its
// files are embedded, so that it works without internet access. Folder files contains the
// compressed files that command fetch downloads from npm's registry, and folder page our own files.
// Only package server uses it. It does not depend on the schema.
package playground
