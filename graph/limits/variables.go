package limits

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// StrictVariables is a transport that executes only operations whose variables have the JSON types
// of their inputs (GraphQL specification section 6.1.2, "Coercing Variable Values"). gqlparser takes
// a number for a text, a text for a number and every value for a custom scalar, and its errors do not
// name the field.
type StrictVariables struct {
	graphql.Transport
	Schema *ast.Schema
}

// Do implements graphql.Transport.
func (t StrictVariables) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	t.Transport.Do(w, r, variableExecutor{exec.(gqlgenExecutor), t.Schema})
}

// gqlgenExecutor has the methods of gqlgen's executor that the transports call.
type gqlgenExecutor interface {
	graphql.GraphExecutor
	PresentRecoveredError(ctx context.Context, value any) error
}

var _ graphql.GraphExecutor = variableExecutor{}

type variableExecutor struct {
	gqlgenExecutor
	schema *ast.Schema
}

// CreateOperationContext implements graphql.GraphExecutor.
//
// gqlparser refuses 3.0 for an Int, so an operation that it has refused is created again with the
// variables that coerce has rewritten, if these are valid.
func (e variableExecutor) CreateOperationContext(ctx context.Context, params *graphql.RawParams) (*graphql.OperationContext, gqlerror.List) {
	op, errs := e.gqlgenExecutor.CreateOperationContext(ctx, params)
	refused := len(errs) > 0 && op.Operation != nil && op.Variables == nil // by gqlparser, for the variables
	if len(errs) > 0 && !refused {
		return op, errs
	}
	for _, definition := range op.Operation.VariableDefinitions {
		fault := e.coerceVariable(definition, params.Variables)
		if fault != nil {
			return op, gqlerror.List{fault.error(op.Operation, definition)}
		}
	}
	if refused {
		return e.gqlgenExecutor.CreateOperationContext(ctx, params)
	}
	return op, errs
}

// variableFault is what is wrong with a variable.
type variableFault struct {
	path    []string // below the variable, from the end
	message string   // the text behind the name of the field
	whole   bool     // whether message is the whole text
}

// below returns the fault with the name or the index that its value has in its object or list.
func (f *variableFault) below(name string) *variableFault {
	f.path = append(f.path, name)
	return f
}

// error returns the error of a request, which names the field as the schema does.
func (f *variableFault) error(op *ast.OperationDefinition, definition *ast.VariableDefinition) *gqlerror.Error {
	path := pathOfVariable(op.SelectionSet, definition.Variable, map[string]bool{})
	if path == nil { // impossible: an operation with an unused variable is not valid
		path = []string{definition.Variable}
	}
	for _, name := range slices.Backward(f.path) {
		path = append(path, name)
	}
	message := f.message
	if !f.whole {
		message = strings.TrimPrefix(strings.Join(path, "."), "input.") + " " + message
	}
	return &gqlerror.Error{
		Message:    message,
		Locations:  []gqlerror.Location{{Line: definition.Position.Line, Column: definition.Position.Column}},
		Extensions: map[string]any{"code": model.CodeInvalid.GraphQLConstant(), "field": path},
	}
}

// pathOfVariable returns the path of the argument or the input field that has the variable, in the
// first place of the selection. seen are the fragments that were searched already.
func pathOfVariable(selection ast.SelectionSet, variable string, seen map[string]bool) []string {
	for _, s := range selection {
		var arguments ast.ArgumentList
		var below ast.SelectionSet
		var directives ast.DirectiveList
		switch s := s.(type) {
		case *ast.Field:
			arguments, below, directives = s.Arguments, s.SelectionSet, s.Directives
		case *ast.InlineFragment:
			below, directives = s.SelectionSet, s.Directives
		case *ast.FragmentSpread:
			if directives = s.Directives; !seen[s.Name] {
				seen[s.Name] = true
				below = s.Definition.SelectionSet
			}
		}
		for _, directive := range directives {
			arguments = append(slices.Clip(arguments), directive.Arguments...)
		}
		for _, argument := range arguments {
			if path, found := pathInValue(argument.Value, variable); found {
				return append([]string{argument.Name}, path...)
			}
		}
		if path := pathOfVariable(below, variable, seen); path != nil {
			return path
		}
	}
	return nil
}

// pathInValue returns the path of the variable in a literal.
func pathInValue(value *ast.Value, variable string) (path []string, found bool) {
	if value.Kind == ast.Variable {
		return nil, value.Raw == variable
	}
	for i, child := range value.Children {
		if path, found := pathInValue(child.Value, variable); found {
			name := child.Name
			if value.Kind == ast.ListValue {
				name = strconv.Itoa(i)
			}
			return append([]string{name}, path...), true
		}
	}
	return nil, false
}

// coerceVariable checks the value of a variable, and rewrites it in variables as coerce does.
func (e variableExecutor) coerceVariable(definition *ast.VariableDefinition, variables map[string]any) *variableFault {
	value, sent := variables[definition.Variable]
	if !sent && (definition.DefaultValue != nil || !definition.Type.NonNull) {
		return nil
	}
	value, fault := e.coerce(definition.Type, value)
	if fault == nil && sent {
		variables[definition.Variable] = value
	}
	return fault
}

// coerce returns a value of decoded JSON with all whole numbers of Int, Int64 and ID in digits: 3 for
// 3.0. It returns a fault for a value of another type. It changes the objects and lists in place.
func (e variableExecutor) coerce(kind *ast.Type, value any) (any, *variableFault) {
	definition := e.schema.Types[kind.Name()]
	if value == nil {
		if kind.NonNull {
			return nil, missing(definition)
		}
		return nil, nil
	}
	if kind.Elem != nil {
		list, ok := value.([]any)
		if !ok { // a list of one, without brackets
			return e.coerce(kind.Elem, value)
		}
		for i, element := range list {
			element, fault := e.coerce(kind.Elem, element)
			if fault != nil {
				return nil, fault.below(strconv.Itoa(i))
			}
			list[i] = element
		}
		return list, nil
	}
	switch definition.Kind {
	case ast.InputObject:
		return e.coerceObject(definition, value)
	case ast.Enum:
		name, ok := value.(string)
		if !ok || definition.EnumValues.ForName(name) == nil {
			return nil, wrongConstant(definition)
		}
		return value, nil
	default:
		return CoerceScalar(definition.Name, value)
	}
}

func (e variableExecutor) coerceObject(definition *ast.Definition, value any) (any, *variableFault) {
	object, ok := value.(map[string]any)
	if !ok {
		return nil, &variableFault{message: "must be an object"}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if definition.Fields.ForName(name) == nil {
			return nil, (&variableFault{message: "is not a field of " + definition.Name}).below(name)
		}
	}
	for _, field := range definition.Fields {
		member, sent := object[field.Name]
		if !sent && (field.DefaultValue != nil || !field.Type.NonNull) {
			continue
		}
		member, fault := e.coerce(field.Type, member)
		if fault != nil {
			return nil, fault.below(field.Name)
		}
		if sent {
			object[field.Name] = member
		}
	}
	return object, nil
}

// missing returns the fault of a value that is required and missing or null.
func missing(definition *ast.Definition) *variableFault {
	switch {
	case definition.Kind == ast.Enum && definition.Name == "Privacy":
		return wrongConstant(definition)
	case definition.Kind == ast.InputObject || definition.Name == "JSON":
		return &variableFault{message: "is required and must be an object"}
	}
	return &variableFault{message: "is required"}
}

// wrongConstant returns the fault of a value that is not in an enum. The API has its own text for the
// privacy (API section 7).
func wrongConstant(definition *ast.Definition) *variableFault {
	if definition.Name == "Privacy" {
		return &variableFault{message: model.PrivacyInvalid, whole: true}
	}
	names := make([]string, len(definition.EnumValues))
	for i, value := range definition.EnumValues {
		names[i] = value.Name
	}
	return &variableFault{message: "must be one of " + strings.Join(names, ", ")}
}

// CoerceScalar is coerce for a scalar of this name.
func CoerceScalar(name string, value any) (any, *variableFault) {
	ok, message := true, "must be a string"
	switch name {
	case "String", "DateTime", "URL":
		_, ok = value.(string)
	case "ID": // a string or an integer (GraphQL specification section 3.5.5, "ID")
		if _, ok = value.(string); !ok {
			value, ok = whole(value)
		}
	case "Int":
		message = "must be a whole number"
		if value, ok = whole(value); ok {
			_, err := value.(json.Number).Int64()
			ok = err == nil
		}
	case "Int64": // UnmarshalGQL takes numbers beyond 64 bits
		message = "must be a whole number"
		value, ok = whole(value)
	case "Float":
		message = "must be a number"
		number, _ := value.(json.Number)
		_, err := number.Float64()
		ok = err == nil
	case "Boolean":
		message = "must be true or false"
		_, ok = value.(bool)
	case "JSON":
		message = "must be an object"
		_, ok = value.(map[string]any)
	}
	if !ok {
		return nil, &variableFault{message: message}
	}
	return value, nil
}

// whole returns a whole number in digits. The value is of decoded JSON, where numbers are
// json.Number.
func whole(value any) (any, bool) {
	number, _ := value.(json.Number)
	digits, ok := model.WholeNumber(number.String())
	return json.Number(digits), ok
}
