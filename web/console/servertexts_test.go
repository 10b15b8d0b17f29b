package console_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// verb matches a verb of package fmt, or a value of a template (model.InvalidTemplate).
var verb = regexp.MustCompile(`%(\[\d+\])?[#+ .0-9]*[a-zA-Z]|\{[a-z]+\}`)

// shapeOf returns a text with * in place of its values.
func shapeOf(format string) string {
	return strings.ReplaceAll(verb.ReplaceAllString(format, "*"), "%%", "%")
}

// parseServer returns the syntax of the Go files of the folders, without their tests.
func parseServer(t *testing.T, folders ...string) (files []*ast.File) {
	t.Helper()
	for _, folder := range folders {
		check(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			files = append(files, file)
			return err
		}))
	}
	return files
}

// textOf returns the shape of a text in the code: of a string, of strings that are joined, of the
// format of a call, or of a field and what is wrong with it. It returns "" for other expressions.
func textOf(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return shapeOf(text)
		}
	case *ast.BinaryExpr:
		left, right := textOf(e.X), textOf(e.Y)
		if left+right == "" {
			return ""
		}
		return orValue(left) + orValue(right)
	case *ast.CallExpr:
		switch nameOf(e.Fun) {
		case "Sprintf":
			return textOf(e.Args[0])
		case "InvalidField":
			return orValue(textOf(e.Args[0])) + " " + orValue(textOf(e.Args[1]))
		}
	}
	return ""
}

func orValue(text string) string {
	if text == "" {
		return "*"
	}
	return text
}

// nameOf returns the name of an identifier, without its package.
func nameOf(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// serverTexts returns the shapes of all texts of the server.
func serverTexts(t *testing.T) map[string]bool {
	t.Helper()
	texts := map[string]bool{}
	for _, file := range parseServer(t, "../../auth", "../../db", "../../graph", "../../model", "../../splat", "../../storage", "..", "../../worker") {
		ast.Inspect(file, func(n ast.Node) bool {
			if expression, ok := n.(ast.Expr); ok {
				texts[textOf(expression)] = true
			}
			return true
		})
	}
	return texts
}

// faultTexts returns the shapes of what Portico says about faults in the files of users: the
// arguments of the functions that make an input.Error, the fields of one, and the details that some
// of them name as their value. It also returns why jobs fail through a fault of the server.
func faultTexts(t *testing.T) map[string]bool {
	t.Helper()
	// The position of the text among the arguments.
	makers := map[string]int{"Errorf": 1, "Damaged": 1, "CutOff": 1, "Advise": 0, "damaged": 0, "manifestError": 0}
	texts := map[string]bool{}
	for _, file := range parseServer(t, "../../splat", "../../worker") {
		ast.Inspect(file, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.CallExpr:
				at, ok := makers[nameOf(e.Fun)]
				if selector, isMethod := e.Fun.(*ast.SelectorExpr); isMethod && nameOf(selector.X) == "fmt" {
					return true
				}
				if ok && at < len(e.Args) {
					texts[textOf(e.Args[at])] = true
				}
			case *ast.CompositeLit:
				name := nameOf(e.Type)
				if name == "failure" && len(e.Elts) > 0 { // of a job
					texts[textOf(e.Elts[0])] = true
				}
				if name != "Error" && name != "InputError" {
					return true
				}
				for _, element := range e.Elts {
					if pair, ok := element.(*ast.KeyValueExpr); ok && (nameOf(pair.Key) == "Message" || nameOf(pair.Key) == "Advice") {
						texts[textOf(pair.Value)] = true
					}
				}
			}
			return true
		})
	}
	addDetails(t, texts)
	delete(texts, "")
	delete(texts, "*")
	return texts
}

// addDetails adds the shapes of the details that are a value of the text of a fault, such as what
// is wrong in the header of a PLY: the texts and the errors that the functions return.
func addDetails(t *testing.T, texts map[string]bool) {
	t.Helper()
	missing := map[string]bool{
		"parseLine": true, "parseFormat": true, "addElement": true, "addProperty": true, "add": true, // ply
		"fault":     true,                    // lcc
		"cleanName": true, "checkName": true, // archive
	}
	for _, file := range parseServer(t, "../../splat/ply", "../../splat/lcc", "../../splat/archive") {
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if _, hasDetails := missing[nameOfFunction(function)]; !ok || !hasDetails {
				continue
			}
			missing[function.Name.Name] = false
			ast.Inspect(function.Body, func(n ast.Node) bool {
				if result, ok := n.(*ast.ReturnStmt); ok && len(result.Results) > 0 {
					texts[detailOf(result.Results[len(result.Results)-1])] = true
				}
				return true
			})
		}
	}
	for name, isMissing := range missing {
		if isMissing {
			t.Errorf("the server has no function %s, whose details are translated", name)
		}
	}
}

func nameOfFunction(function *ast.FuncDecl) string {
	if function == nil {
		return ""
	}
	return function.Name.Name
}

// detailOf returns the shape of a text, or of the text of a new error.
func detailOf(expression ast.Expr) string {
	if call, ok := expression.(*ast.CallExpr); ok && len(call.Args) > 0 {
		if name := nameOf(call.Fun); name == "New" || name == "Errorf" {
			return textOf(call.Args[0])
		}
		return ""
	}
	return textOf(expression)
}
