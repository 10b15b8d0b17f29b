// Package playground is GraphiQL, where people try GraphQL in a browser. The page
// and its files are embedded, so it works on a machine without internet access. Folder
// files holds the compressed files that command fetch downloads from npm's registry; folder
// page is ours. Package server mounts it; it does not depend on the schema.
package playground
