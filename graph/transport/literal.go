package transport

import (
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"

	"portico/model"
)

// checkLiterals refuses a document that has half of a surrogate pair in a text,
// which the parser would replace silently. The error names the field or argument.
// What is wrong with the document otherwise is for the parser to say.
func checkLiterals(document string) error {
	if !strings.Contains(document, `\u`) {
		return nil // only an escape can be half of a pair
	}
	tokens := lexer.New(&ast.Source{Input: document})
	runes := []rune(document) // the positions of tokens count these
	var name, field string
	for {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return nil //nolint:nilerr // the parser reports what is not a document
		}
		switch token.Kind {
		case lexer.Name:
			name = token.Value
		case lexer.Colon: // what came before it is no value
			field = name
		case lexer.String:
			literal := string(runes[token.Pos.Start:min(token.Pos.End, len(runes))])
			if model.HasLoneSurrogate([]byte(literal)) {
				return model.LoneSurrogate(field)
			}
		}
	}
}
