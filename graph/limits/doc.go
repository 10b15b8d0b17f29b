// Package limits has what a GraphQL request may cost, as extensions of gqlgen: the size and nesting of
// its document, the estimated and the real size of the response, its operations in a minute, and the
// connections and subscriptions that are open. An extension refuses; it never calls a resolver.
package limits
