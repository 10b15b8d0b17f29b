// Package playground is GraphiQL, where people try GraphQL in a browser. All that
// the page loads is embedded, so it works on a machine without a way out. Folder
// files holds what command fetch gets from npm's registry, compressed; folder page is
// ours. Package cmd mounts it; it knows nothing of the schema.
package playground
