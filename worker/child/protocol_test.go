package child

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/model"
	"portico/splat"
)

// splatFormats returns the constants of the type splat.Format in the code.
func splatFormats(t *testing.T) (formats []splat.Format) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../splat/facts.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(node ast.Node) bool {
		constant, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := constant.Type.(*ast.Ident); !ok || kind.Name != "Format" {
			return true
		}
		for _, value := range constant.Values {
			literal, ok := value.(*ast.BasicLit)
			if !ok {
				t.Fatalf("%s: got no literal, want one", constant.Names[0])
			}
			format, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			formats = append(formats, splat.Format(format))
		}
		return true
	})
	return formats
}

// A format that is forgotten in model.FileFormats would silently become FormatOther.
func TestFactsOf_keeps_every_format_that_viewers_read(t *testing.T) {
	t.Parallel()
	var others []splat.Format
	for _, format := range splatFormats(t) {
		switch got := factsOf(splat.Facts{Format: format}).Format; {
		case got == model.FormatOther:
			others = append(others, format)
		case string(got) != string(format):
			t.Errorf("%s: got %s, want the same format", format, got)
		}
	}
	want := []splat.Format{splat.FormatHTML, splat.FormatCSV, splat.FormatVoxels, splat.FormatOther}
	if diff := cmp.Diff(want, others); diff != "" {
		t.Errorf("formats that become other (-want +got):\n%s", diff)
	}
}
