package main

import (
	"go/format"
	"strings"
	"testing"
)

// state is the struct of gqlgen's generated code, and rest what every file needs to be rewritten.
const (
	state = `
type executionContext struct {
	*graphql.ExecutionContextState[ResolverRoot, DirectiveRoot, ComplexityRoot]
}
`
	rest = `
func (ec *executionContext) marshalNString2string(ctx context.Context, sel ast.SelectionSet, v string) graphql.Marshaler {
	return graphql.MarshalString(v)
}

func (ec *executionContext) marshalNFloat2float64(ctx context.Context, sel ast.SelectionSet, v float64) graphql.Marshaler {
	return graphql.WrapContextMarshaler(ctx, graphql.MarshalFloatContext(v))
}

func (ec *executionContext) marshalNJSON2Object(ctx context.Context, sel ast.SelectionSet, v Object) graphql.Marshaler {
	if v == nil {
		return graphql.Null
	}
	return v
}

func (ec *executionContext) marshalNString2ᚕstring(ctx context.Context, sel ast.SelectionSet, v []string) graphql.Marshaler {
	return graphql.MarshalSliceConcurrently(ctx, len(v), 4, false, func(ctx context.Context, i int) graphql.Marshaler {
		return ec.marshalNString2string(ctx, sel, v[i])
	})
}

func (ec *executionContext) field_Query_space_args(ctx context.Context, rawArgs map[string]any) (map[string]any, error) {
	arg0, err := graphql.ProcessArgField(ctx, rawArgs, "id", ec.unmarshalNID2string)
	return map[string]any{"id": arg0}, err
}

func (ec *executionContext) _Space(ctx context.Context, sel ast.SelectionSet, obj *Space) graphql.Marshaler {
	fields := graphql.CollectFields(ec.OperationContext, sel, spaceImplementors)
	out := graphql.NewFieldSet(fields)
	deferredFieldSet := graphql.NewFieldSet(nil)
	deferLabelToView := make(map[string]*graphql.FieldSetView)
	out.Dispatch(ctx)

	atomic.AddInt32(&ec.Deferred, 0)
	return out
}
`
)

// generatedField is the function that gqlgen generates for a field of Space.
type generatedField struct {
	name, value, middleware, marshal, goType string
	hasFields                                bool
}

func (f generatedField) code() string {
	context := `return graphql.NewScalarFieldContext("Space", field, true, false, nil)`
	if f.hasFields {
		context = `return &graphql.FieldContext{Object: "Space"}, nil`
	}
	return `
func (ec *executionContext) fieldContext_Space_` + f.name + `(_ context.Context, field graphql.CollectedField) (fc *graphql.FieldContext, err error) {
	` + context + `
}

func (ec *executionContext) _Space_` + f.name + `(ctx context.Context, field graphql.CollectedField, obj *Space) (ret graphql.Marshaler) {
	return graphql.ResolveField(
		ctx,
		ec.OperationContext,
		field,
		func(ctx context.Context, field graphql.CollectedField) (*graphql.FieldContext, error) {
			return ec.fieldContext_Space_` + f.name + `(ctx, field)
		},
		func(ctx context.Context) (any, error) {
			return ` + f.value + `
		},
		` + f.middleware + `,
		func(ctx context.Context, selections ast.SelectionSet, v ` + f.goType + `) graphql.Marshaler {
			return ec.` + f.marshal + `(ctx, selections, v)
		},
` + strings.Repeat("\t\ttrue,\n", 2) + `	)
}
`
}

func TestRewrite_encodes_only_plain_fields_directly(t *testing.T) {
	t.Parallel()
	title := generatedField{name: "title", value: "obj.Title, nil", middleware: "nil", marshal: "marshalNString2string", goType: "string"}
	for name, test := range map[string]struct {
		change func(*generatedField)
		want   string // the condition of the direct encoding; "" for none
	}{
		"a struct field": {func(*generatedField) {}, "if v := obj.Title; ec.meter.fits(v) {"},
		"the id of a node": {func(f *generatedField) { f.value = "obj.NodeID(), nil" },
			"if v := obj.NodeID(); ec.meter.fits(v) {"},
		"JSON that may be nil": {func(f *generatedField) { f.marshal, f.goType = "marshalNJSON2Object", "Object" },
			"if v := obj.Title; v != nil && ec.meter.fits(v) {"},
		"another method": {func(f *generatedField) { f.value = "obj.Summary(), nil" }, ""},
		"a resolver":     {func(f *generatedField) { f.value = "ec.Resolvers.Space().Title(ctx, obj)" }, ""},
		"a directive": {func(f *generatedField) {
			f.middleware = "func(ctx context.Context, next graphql.Resolver) graphql.Resolver { return next }"
		}, ""},
		"a number with a fraction": {func(f *generatedField) { f.marshal, f.goType = "marshalNFloat2float64", "float64" }, ""},
		"a list":                   {func(f *generatedField) { f.marshal, f.goType = "marshalNString2ᚕstring", "[]string" }, ""},
		"an object":                {func(f *generatedField) { f.hasFields = true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			field, other := title, title
			test.change(&field)
			other.name = "other" // a file without plain fields is refused
			got, err := rewrite([]byte("package graph\n" + state + rest + field.code() + other.code()))
			if err != nil {
				t.Fatalf("rewrite: got error %v, want none", err)
			}
			if formatted, err := format.Source(got); err != nil || string(formatted) != string(got) {
				t.Errorf("rewritten code: got error %v and\n%s\nwant what gofmt writes", err, got)
			}
			_, function, _ := strings.Cut(string(got), ") _Space_title(")
			function, _, _ = strings.Cut(function, "\n}\n")
			if want := test.want + "\n\t\treturn ec." + field.marshal + "(ctx, field.Selections, v)"; test.want != "" && !strings.Contains(function, want) {
				t.Errorf("function: got\n%s\nwant it to contain\n%s", function, want)
			}
			if test.want == "" && strings.Contains(function, "ec.meter") {
				t.Errorf("function: got\n%s\nwant it as gqlgen generates it", function)
			}
			if !strings.Contains(function, "return graphql.ResolveField(") {
				t.Errorf("function: got\n%s\nwant graphql.ResolveField for values that do not fit", function)
			}
		})
	}
}

func TestRewrite_replaces_calls(t *testing.T) {
	t.Parallel()
	title := generatedField{name: "title", value: "obj.Title, nil", middleware: "nil", marshal: "marshalNString2string", goType: "string"}
	got, err := rewrite([]byte("package graph\n" + state + rest + title.code()))
	if err != nil {
		t.Fatalf("rewrite: got error %v, want none", err)
	}
	for _, want := range []string{
		"return ec.encodeList(ctx, sel, len(v), 4,",
		"fields := ec.collectFields(sel, spaceImplementors)",
		`decodeArgument(ctx, ec, rawArgs, "id", ec.unmarshalNID2string)`,
		"deferredFieldSet, deferLabelToView := ec.deferredFields()",
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("rewritten code: got\n%s\nwant it to contain %s", got, want)
		}
	}
}

func TestRewrite_refuses_code_that_it_does_not_know(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"no code":         "package",
		"no state":        "package graph\n" + rest,
		"no plain fields": "package graph\n" + state + rest,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, err := rewrite([]byte(source)); err == nil {
				t.Errorf("rewrite: got\n%s\nwant an error", got)
			}
		})
	}
}
