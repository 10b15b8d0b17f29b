// Command plainfields rewrites the code that gqlgen generates, so that a plain field costs neither
// a context nor a closure. A plain field is a scalar or an enum that a struct field holds: nothing
// can fail in it, and no resolver below it needs its path.
//
// gqlgen resolves every field by graphql.ResolveField, with a context, four closures and the
// middleware of the operation. For a list of 200 entities with six fields, that took most of the
// time of the request. gqlgen's templates cannot be replaced from outside, so the generated file is
// rewritten, for executions with a responseMeter (plainSchema in package graph):
//
//   - The function of a plain field first tries to encode the value directly.
//   - The function of an object returns its fields without a set of the names that were written.
//   - A list whose elements call no resolver is encoded without a goroutine for each element.
//   - Functions of graph collect the fields of an object, and decode the arguments of a field.
package main

import (
	"fmt"
	"os"
)

// generatedFile is the file that it rewrites, below the root of the repository.
const generatedFile = "graph/generated.go"

func main() {
	if err := rewriteFile(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func rewriteFile() error {
	source, err := os.ReadFile(generatedFile)
	if err != nil {
		return err
	}
	rewritten, err := rewrite(source)
	if err != nil {
		return fmt.Errorf("%s: %w", generatedFile, err)
	}
	return os.WriteFile(generatedFile, rewritten, 0o644) //nolint:gosec // a file of the repository
}
