package transport

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"portico/model"
)

// checkLiterals refuses a document with half of a surrogate pair in a string, which the parser
// would replace silently. The error names the field or argument. The parser reports all other
// errors of the document.
//
// It is O(n) in the document, and runs only for a document with an escape.
func checkLiterals(document string) error {
	if !strings.Contains(document, `\u`) {
		return nil // only an escape can encode half of a pair
	}
	tokens := lexer.New(&ast.Source{Input: document})
	runes := []rune(document) // positions of tokens are in runes
	var name, field string
	for {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return nil //nolint:nilerr // the parser reports syntax errors
		}
		switch token.Kind {
		case lexer.Name:
			name = token.Value
		case lexer.Colon: // the name before it is the name of a field or argument
			field = name
		case lexer.String:
			literal := string(runes[token.Pos.Start:min(token.Pos.End, len(runes))])
			if model.HasLoneSurrogate([]byte(literal)) {
				return model.LoneSurrogate(field)
			}
		}
	}
}
