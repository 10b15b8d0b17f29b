package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

// persistedQuery is the extension that replaces a query which the server knows already
// (Apollo's automatic persisted queries).
const persistedQuery = "persistedQuery"

// decodeParams decodes the four request parameters ("GraphQL over HTTP", Request
// Parameters) from a JSON object: the body of a POST, or the payload of a subscribe
// message. The error is a model.Error that names the parameter.
//
// Unknown parameters are ignored ("GraphQL over HTTP", Request Parameters).
func decodeParams(body []byte) (*graphql.RawParams, error) {
	members, err := decodeObject[any]("The request", body)
	if err != nil {
		return nil, err
	}
	params := &graphql.RawParams{}
	err = cmp.Or(
		storeMember(members, "query", "a string", &params.Query),
		storeMember(members, "operationName", "a string", &params.OperationName),
		storeMember(members, "variables", "an object", &params.Variables),
		storeMember(members, "extensions", "an object", &params.Extensions),
	)
	if err == nil {
		err = checkEscapes(params, body)
	}
	if err != nil {
		return nil, err
	}
	return params, requireQuery(params, members["query"] != nil)
}

// storeMember stores a member, which must have the type T. Null means the same as no member
// ("GraphQL over HTTP", Request Parameters).
func storeMember[T any](members map[string]any, name, kind string, into *T) error {
	value := members[name]
	if value == nil {
		return nil
	}
	stored, ok := value.(T)
	if !ok {
		return model.Invalidf("%s must be %s", name, kind)
	}
	*into = stored
	return nil
}

// checkEscapes is checkText for the body that params were decoded from. Decoding has replaced the
// halves of surrogate pairs in the variables, so they are looked at as they were sent.
func checkEscapes(params *graphql.RawParams, body []byte) error {
	if !bytes.Contains(body, []byte(`\u`)) {
		return nil // only an escape can encode half of a pair
	}
	members, err := decodeObject[json.RawMessage]("The request", body)
	if err != nil {
		return err
	}
	return checkText(params, members["variables"])
}

// requireQuery refuses a request without a query. It accepts an empty query: the parser refuses it
// with the status of a document that does not parse.
func requireQuery(params *graphql.RawParams, present bool) error {
	if _, persisted := params.Extensions[persistedQuery]; present || persisted {
		return nil
	}
	return model.Invalidf("query must be a string")
}

// decodeObject returns the members of a JSON object: as they were sent for json.RawMessage, and
// decoded for any. It decodes into a map, because encoding/json ignores the case of the fields of a
// struct, and "Query" is not a parameter.
func decodeObject[V any](what string, body []byte) (map[string]V, error) {
	if !utf8.Valid(body) {
		return nil, model.Invalidf("%s must be valid UTF-8", what)
	}
	var members map[string]V
	err := decodeWhole(body, &members)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok || err == nil && members == nil {
		return nil, model.Invalidf("%s must be a JSON object", what)
	}
	if err != nil {
		return nil, model.Invalidf("%s is not valid JSON", what)
	}
	return members, nil
}

// checkText refuses strings that are not valid Unicode, in the variables and in the
// literals of the document.
func checkText(params *graphql.RawParams, variables json.RawMessage) error {
	if err := model.CheckVariables(variables); err != nil {
		return err
	}
	return checkLiterals(params.Query)
}

// decodeExact decodes one value. Resolvers get its numbers as json.Number, which keeps their text.
// An absent value or null leaves into unchanged.
func decodeExact(raw json.RawMessage, into any) error {
	if !isPresent(raw) {
		return nil
	}
	if text, ok := into.(*string); ok { // no numbers, so no decoder with its buffer
		return json.Unmarshal(raw, text)
	}
	return decodeWhole(raw, into)
}

// decodeWhole is json.Unmarshal with numbers as json.Number.
func decodeWhole(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	err := decoder.Decode(into)
	// Text behind the value is a syntax error, and comes before an error of the type.
	if rest := bytes.TrimLeft(raw[decoder.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return errors.New("more than one JSON value")
	}
	return err
}

// isPresent reports whether a member was sent: null means the same as no member ("GraphQL
// over HTTP", Request Parameters).
func isPresent(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null"
}
