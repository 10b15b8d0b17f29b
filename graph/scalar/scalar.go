// Package scalar has the scalars of the schema whose Go types are int64 and string. Unlike gqlgen's
// functions for these types, they accept no other JSON type, also in the literals of a document, which
// the parser does not check for scalars that it does not know. Only generated code of package graph
// uses it.
package scalar

import (
	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

// MarshalInt64 writes scalar Int64.
func MarshalInt64(n int64) graphql.Marshaler { return graphql.MarshalInt64(n) }

// UnmarshalInt64 reads scalar Int64. A number beyond 64 bits becomes the nearest int64.
func UnmarshalInt64(v any) (int64, error) {
	var n model.FileSize
	err := n.UnmarshalGQL(v)
	return int64(n), err
}

// MarshalURL writes scalar URL.
func MarshalURL(address string) graphql.Marshaler { return graphql.MarshalString(address) }

// UnmarshalURL reads scalar URL.
func UnmarshalURL(v any) (string, error) {
	address, ok := v.(string)
	if !ok {
		return "", model.Invalidf("must be a string")
	}
	return address, nil
}
