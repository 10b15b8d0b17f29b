// Command plainfields rewrites the code that gqlgen generates, so that a plain field costs neither a
// context nor a closure. A plain field is a scalar or an enum that a struct field holds: nothing can
// fail in it, and no resolver below it needs its path.
//
// gqlgen resolves every field by graphql.ResolveField, with a context, four closures and the
// middleware of the operation. For a list of 200 entities with six fields, that took most of the time
// of the request. gqlgen's templates cannot be replaced from outside, so the generated file is
// rewritten: each function of a plain field first tries to encode the value directly, and resolves
// it as before if the schema is executed without that (plainField in graph/leanschema.go).
package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run rewrites the file of generated code that args name.
func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: plainfields FILE")
	}
	name := args[0]
	source, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	rewritten, err := rewrite(name, source)
	if err != nil {
		return err
	}
	return os.WriteFile(name, rewritten, 0o644)
}
