package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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
	members, err := decodeObject("The request", body)
	if err != nil {
		return nil, err
	}
	params := &graphql.RawParams{}
	for _, parameter := range []struct {
		name, kind string
		into       any
	}{
		{"query", "a string", &params.Query},
		{"operationName", "a string", &params.OperationName},
		{"variables", "an object", &params.Variables},
		{"extensions", "an object", &params.Extensions},
	} {
		if decodeExact(members[parameter.name], parameter.into) != nil {
			return nil, model.Invalidf("%s must be %s", parameter.name, parameter.kind)
		}
	}
	if err := checkText(params, members["variables"]); err != nil {
		return nil, err
	}
	return params, requireQuery(params, isPresent(members["query"]))
}

// requireQuery refuses a request without a query. It accepts an empty query: the parser refuses it
// with the status of a document that does not parse.
func requireQuery(params *graphql.RawParams, present bool) error {
	if _, persisted := params.Extensions[persistedQuery]; present || persisted {
		return nil
	}
	return model.Invalidf("query must be a string")
}

// decodeObject returns the members of a JSON object as they were sent. It decodes into a map, because
// encoding/json ignores the case of the fields of a struct, and "Query" is no parameter.
func decodeObject(what string, body []byte) (map[string]json.RawMessage, error) {
	if !utf8.Valid(body) {
		return nil, model.Invalidf("%s must be valid UTF-8", what)
	}
	var members map[string]json.RawMessage
	err := json.Unmarshal(body, &members)
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

// decodeExact decodes one value. Resolvers get its numbers as json.Number, which keeps their text. An
// absent value or null leaves into unchanged.
func decodeExact(raw json.RawMessage, into any) error {
	if !isPresent(raw) {
		return nil
	}
	if text, ok := into.(*string); ok { // no numbers, so no decoder with its buffer
		return json.Unmarshal(raw, text)
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// isPresent reports whether a member was sent: null means the same as no member ("GraphQL
// over HTTP", Request Parameters).
func isPresent(raw json.RawMessage) bool {
	return len(raw) > 0 && string(raw) != "null"
}
