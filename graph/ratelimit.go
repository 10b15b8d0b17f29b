package graph

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/limit"
	"portico/model"
)

// rateLimit counts every operation of a document against the limits of its account, or of
// its address without a key, before any of them runs.
type rateLimit struct{ limiter *limit.Limiter }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = rateLimit{}

// ExtensionName implements graphql.HandlerExtension.
func (rateLimit) ExtensionName() string { return "RateLimit" }

// Validate implements graphql.HandlerExtension.
func (rateLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (l rateLimit) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	scopes := scopesOf(op.Operation.SelectionSet, op.Variables)
	if len(scopes) == 0 { // only the schema is selected
		scopes = []limit.Scope{limit.All}
	}
	if err := l.take(ctx, scopes); err != nil {
		return gqlerror.Wrap(err)
	}
	return nil
}

// take counts the scopes for the account or the address of ctx.
func (l rateLimit) take(ctx context.Context, scopes []limit.Scope) error {
	if c := model.CallerFrom(ctx); c != nil {
		return l.limiter.Take(ctx, limit.UserSubject(c.UserID), scopes...)
	}
	sender := anonymousFrom(ctx)
	switch {
	case sender == nil:
		return nil
	case sender.counted:
		return l.limiter.TakeMore(ctx, sender.subject, scopes...)
	}
	return l.limiter.Take(ctx, sender.subject, scopes...)
}

// scopesOf returns the scope of each operation in a selection of root fields,
// fragments included: an alias is an operation of its own.
func scopesOf(selection ast.SelectionSet, variables map[string]any) []limit.Scope {
	var scopes []limit.Scope
	for _, s := range selection {
		switch s := s.(type) {
		case *ast.Field:
			if !strings.HasPrefix(s.Name, "__") {
				scopes = append(scopes, limit.ScopeOf(operationOf(s, variables)))
			}
		case *ast.InlineFragment:
			scopes = append(scopes, scopesOf(s.SelectionSet, variables)...)
		case *ast.FragmentSpread:
			scopes = append(scopes, scopesOf(s.Definition.SelectionSet, variables)...)
		}
	}
	return scopes
}

// operationOf returns the operation that a root field counts as.
func operationOf(field *ast.Field, variables map[string]any) string {
	if field.Name == "updateSpace" {
		input, _ := field.ArgumentMap(variables)["input"].(map[string]any)
		if input["privacy"] != nil {
			return limit.PrivacyChange
		}
	}
	return field.Name
}
