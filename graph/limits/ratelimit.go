package limits

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/limit"
	"portico/model"
)

// RateLimit counts every operation of a document against the limits of its account, or of
// its address without a key, before any of them runs.
//
// A document with ten mutations counts ten times, as ten requests of REST would (API section 8).
// They are counted together or refused together.
type RateLimit struct {
	// Count counts operations, by their names, for the account or the address of ctx.
	Count func(ctx context.Context, operations []string) error
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = RateLimit{}

// ExtensionName implements graphql.HandlerExtension.
func (RateLimit) ExtensionName() string { return "RateLimit" }

// Validate implements graphql.HandlerExtension.
func (RateLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (l RateLimit) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	operations := operationsOf(op.Operation.SelectionSet, op.Variables)
	if len(operations) == 0 { // only the schema is selected
		operations = []string{"__schema"}
	}
	if err := l.Count(ctx, operations); err != nil {
		return gqlerror.Wrap(err)
	}
	return nil
}

// operationsOf returns the operations in a selection of root fields, including its fragments. Each
// alias is an operation.
//
// A fragment counts each time that it is spread.
func operationsOf(selection ast.SelectionSet, variables map[string]any) []string {
	var operations []string
	for _, s := range selection {
		switch s := s.(type) {
		case *ast.Field:
			operations = append(operations, fieldOperations(s, variables)...)
		case *ast.InlineFragment:
			operations = append(operations, operationsOf(s.SelectionSet, variables)...)
		case *ast.FragmentSpread:
			operations = append(operations, operationsOf(s.Definition.SelectionSet, variables)...)
		}
	}
	return operations
}

// fieldOperations returns the operations that a root field counts as: none for the schema.
//
// updateSpace with a privacy counts as updateSpacePrivacy, whose limit is stricter.
func fieldOperations(field *ast.Field, variables map[string]any) []string {
	switch field.Name {
	case "updateSpace":
		input, _ := field.ArgumentMap(variables)["input"].(map[string]any)
		return []string{limit.UpdateSpaceOperation(input["privacy"] != nil)}
	case "node":
		return []string{readOf(field.ArgumentMap(variables)["id"])}
	case "nodes":
		return readsOf(field.ArgumentMap(variables)["ids"])
	}
	if strings.HasPrefix(field.Name, "__") {
		return nil
	}
	return []string{field.Name}
}

// readsOf returns the operations that read the objects with these ids: one for each id, and one
// for an empty list. GraphQL accepts a list of one without brackets.
func readsOf(ids any) []string {
	list, ok := ids.([]any)
	if !ok || len(list) == 0 {
		return []string{readOf(ids)}
	}
	reads := make([]string, len(list))
	for i, id := range list {
		reads[i] = readOf(id)
	}
	return reads
}

// readOf returns the operation that reads the object with the id; node for an object that has no
// other operation.
func readOf(id any) string {
	text, _ := id.(string)
	switch kind, _, _ := model.ParseNodeID(text); kind {
	case model.NodeEntity:
		return "entity"
	case model.NodeJob:
		return "job"
	}
	return "node"
}
