package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

const (
	// stateType is the type of the state of one execution, which the functions of fields belong to.
	stateType = "executionContext"
	// members are added to it: the limit of the response, or nil to resolve fields as gqlgen does, and
	// the fields that were collected.
	members = "\n\tmeter     *responseMeter // nil resolves plain fields as gqlgen does" +
		"\n\tcollected collectedFields"
	// objectCode ends the function of an object before it looks for the responses of @defer.
	objectCode = "if ec.meter != nil {\n\t\treturn object{fields, out.Values}\n\t}\n\n\t"
	// idMethod is the only method that is called like a struct field: it joins two texts.
	idMethod = "NodeID"
)

// replacements returns pairs of a text of the generated code and the text that replaces it.
func replacements() []string {
	return []string{
		"graphql.MarshalSliceConcurrently(ctx, ", "ec.encodeList(ctx, sel, ",
		"graphql.CollectFields(ec.OperationContext, ", "ec.collectFields(",
		"graphql.ProcessArgField(ctx, ", "decodeArgument(ctx, ec, ",
		"deferredFieldSet := graphql.NewFieldSet(nil)\n\tdeferLabelToView := make(map[string]*graphql.FieldSetView)",
		"deferredFieldSet, deferLabelToView := ec.deferredFields()",
	}
}

// rewrite returns the generated code with direct encoding of plain fields. It is an error if
// nothing is found to rewrite: gqlgen then generates other code than this program knows.
func rewrite(source []byte) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	g := &generated{source: source, files: files, functions: map[string]*ast.FuncDecl{}}
	insertions := map[int]string{}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			g.functions[d.Name.Name] = d
		case *ast.GenDecl:
			if end := g.endOfEmbedded(d); end > 0 {
				insertions[end] = members
			}
		}
	}
	if len(insertions) != 1 {
		return nil, fmt.Errorf("got %d structs %s, want 1", len(insertions), stateType)
	}
	fields, objects := 0, 0
	for _, function := range g.functions {
		if f, ok := g.plainField(function); ok {
			insertions[g.offset(function.Body.Lbrace)+1] = f.code()
			fields++
		}
		if end := g.endOfFields(function); end > 0 {
			insertions[end] = objectCode
			objects++
		}
	}
	if fields == 0 || objects == 0 {
		return nil, fmt.Errorf("found %d plain fields and %d objects, want many of both", fields, objects)
	}
	pairs := replacements()
	for i := 0; i < len(pairs); i += 2 {
		if !bytes.Contains(source, []byte(pairs[i])) {
			return nil, fmt.Errorf("found no %s", pairs[i])
		}
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(insert(source, insertions)))), nil
}

// insert returns source with each text inserted at its offset.
func insert(source []byte, insertions map[int]string) []byte {
	offsets := make([]int, 0, len(insertions))
	for offset := range insertions {
		offsets = append(offsets, offset)
	}
	slices.Sort(offsets)
	var out bytes.Buffer
	last := 0
	for _, offset := range offsets {
		out.Write(source[last:offset])
		out.WriteString(insertions[offset])
		last = offset
	}
	out.Write(source[last:])
	return out.Bytes()
}

// generated is a file of generated code.
type generated struct {
	source    []byte
	files     *token.FileSet
	functions map[string]*ast.FuncDecl
}

func (g *generated) offset(pos token.Pos) int { return g.files.Position(pos).Offset }

func (g *generated) text(node ast.Node) string {
	return string(g.source[g.offset(node.Pos()):g.offset(node.End())])
}

// endOfEmbedded returns the offset behind the embedded type of the struct stateType, or 0 if d
// does not declare it.
func (g *generated) endOfEmbedded(d *ast.GenDecl) int {
	for _, spec := range d.Specs {
		declared, ok := spec.(*ast.TypeSpec)
		if !ok || declared.Name.Name != stateType {
			continue
		}
		if s, ok := declared.Type.(*ast.StructType); ok && len(s.Fields.List) == 1 {
			return g.offset(s.Fields.End()) - len("\n}")
		}
	}
	return 0
}

// endOfFields returns the offset in the function of an object at which all its fields are resolved,
// before the responses of @defer, or 0 for other functions.
func (g *generated) endOfFields(function *ast.FuncDecl) int {
	if function.Recv == nil {
		return 0
	}
	for _, statement := range function.Body.List {
		if strings.HasPrefix(g.text(statement), "atomic.AddInt32(&ec.Deferred,") {
			return g.offset(statement.Pos())
		}
	}
	return 0
}

// plainField is a field that is encoded directly.
type plainField struct {
	value    string // the expression of the value, e.g. obj.Title
	marshal  string // the method that encodes it, e.g. marshalNString2string
	nullable bool   // in Go, while it must not be null in the schema
}

// code returns the statement that encodes the field.
func (f plainField) code() string {
	condition := "ec.meter.fits(v)"
	if f.nullable {
		condition = "v != nil && " + condition
	}
	return "\n\tif v := " + f.value + "; " + condition + " {" +
		"\n\t\treturn ec." + f.marshal + "(ctx, field.Selections, v)\n\t}"
}

// plainField returns how the field of a function like
//
//	func (ec *executionContext) _Entity_type(ctx, field, obj *model.Entity) graphql.Marshaler
//
// is encoded directly. ok is false for other functions and for fields that are not plain.
//
// The function must consist of one call of graphql.ResolveField without a directive. Its value must
// be a struct field, its type must have no fields, and encoding must not be able to fail: numbers
// with a fraction may be infinite, and the elements of a list have contexts of their own.
func (g *generated) plainField(function *ast.FuncDecl) (f plainField, ok bool) {
	call := g.resolveFieldCall(function)
	if call == nil || !g.isScalar(function.Name.Name) {
		return f, false
	}
	const resolver, middleware, marshal, nonNull = 4, 5, 6, 8
	if g.text(call.Args[middleware]) != "nil" {
		return f, false
	}
	f.value = g.structField(call.Args[resolver])
	encoder, isFunction := call.Args[marshal].(*ast.FuncLit)
	if f.value == "" || !isFunction {
		return f, false
	}
	f.marshal = g.method(encoder)
	parameters := encoder.Type.Params.List
	goType := g.text(parameters[len(parameters)-1].Type)
	if strings.HasPrefix(goType, "[]") || f.marshal == "" || g.canFail(f.marshal) {
		return f, false
	}
	f.nullable = g.text(call.Args[nonNull]) == "true" && strings.Contains(g.text(g.functions[f.marshal].Body), "v == nil")
	return f, true
}

// resolveFieldCall returns the call of graphql.ResolveField if the function does nothing else, or
// nil.
func (g *generated) resolveFieldCall(function *ast.FuncDecl) *ast.CallExpr {
	if function.Recv == nil || len(function.Body.List) != 1 || !strings.HasPrefix(function.Name.Name, "_") {
		return nil
	}
	call := returned(function.Body)
	if call == nil || g.text(call.Fun) != "graphql.ResolveField" {
		return nil
	}
	return call
}

// returned returns the call that the last statement of a body returns first, or nil.
func returned(body *ast.BlockStmt) *ast.CallExpr {
	result, ok := body.List[len(body.List)-1].(*ast.ReturnStmt)
	if !ok || len(result.Results) == 0 {
		return nil
	}
	call, _ := result.Results[0].(*ast.CallExpr)
	return call
}

// isScalar reports whether the field of the function with this name has a type without fields.
func (g *generated) isScalar(name string) bool {
	context := g.functions["fieldContext"+name]
	return context != nil && strings.Contains(g.text(context.Body), "graphql.NewScalarFieldContext(")
}

// structField returns the expression that a resolver like
//
//	func(ctx context.Context) (any, error) { return obj.Title, nil }
//
// returns, or "" if it does more than read a struct field.
func (g *generated) structField(resolver ast.Expr) string {
	function, ok := resolver.(*ast.FuncLit)
	if !ok || len(function.Body.List) != 1 {
		return ""
	}
	result, ok := function.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(result.Results) != 2 {
		return ""
	}
	value := result.Results[0]
	if call, ok := value.(*ast.CallExpr); ok && g.text(call) == "obj."+idMethod+"()" {
		return g.text(call)
	}
	if selector, ok := value.(*ast.SelectorExpr); ok && g.text(selector.X) == "obj" {
		return g.text(selector)
	}
	return ""
}

// method returns the name of the method of ec that a function returns the result of, or "".
func (g *generated) method(function *ast.FuncLit) string {
	call := returned(function.Body)
	if call == nil {
		return ""
	}
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok && g.text(selector.X) == "ec" && g.functions[selector.Sel.Name] != nil {
		return selector.Sel.Name
	}
	return ""
}

// canFail reports whether the encoder with this name encodes values that can fail at it.
func (g *generated) canFail(encoder string) bool {
	return strings.Contains(g.text(g.functions[encoder].Body), "graphql.WrapContextMarshaler")
}
