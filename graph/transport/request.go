package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"portico/model"
)

// defaultMaxBody is the maximum size of a request, in bytes. Documents have a few kilobytes, and
// files are uploaded to the store.
const defaultMaxBody = 1 << 20

// readRequest reads the parameters of a GET or a POST. The error is a *refusal.
func readRequest(w http.ResponseWriter, r *http.Request, limit int64) (*graphql.RawParams, error) {
	start := graphql.Now()
	params, err := readParams(w, r, limit)
	if err != nil {
		return nil, err
	}
	params.Headers = r.Header
	params.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return params, nil
}

// readParams reads the parameters of a GET or a POST, and refuses other methods.
func readParams(w http.ResponseWriter, r *http.Request, limit int64) (*graphql.RawParams, error) {
	switch r.Method {
	case http.MethodGet:
		return readQuery(r.URL, limit)
	case http.MethodPost:
		return readBody(w, r, limit)
	default:
		return nil, notAllowed(r.Method+" is not a method of GraphQL", http.MethodGet, http.MethodPost)
	}
}

// readQuery reads the parameters from the address ("GraphQL over HTTP", GET).
func readQuery(address *url.URL, limit int64) (*graphql.RawParams, error) {
	// The limit of the server is for all headers together, and larger.
	if int64(len(address.RawQuery)) > limit {
		return nil, tooLarge(http.StatusRequestURITooLong, "Address", limit)
	}
	values, err := url.ParseQuery(address.RawQuery)
	if err != nil {
		return nil, badRequest(model.Invalidf("The address is not well formed"))
	}
	params := &graphql.RawParams{Query: values.Get("query"), OperationName: values.Get("operationName")}
	if decodeExact(json.RawMessage(values.Get("variables")), &params.Variables) != nil {
		return nil, badRequest(model.Invalidf("variables must be an object"))
	}
	if decodeExact(json.RawMessage(values.Get("extensions")), &params.Extensions) != nil {
		return nil, badRequest(model.Invalidf("extensions must be an object"))
	}
	if err := checkText(params, json.RawMessage(values.Get("variables"))); err != nil {
		return nil, badRequest(err)
	}
	return params, badRequest(requireQuery(params, values.Has("query")))
}

// readBody reads the parameters from the body ("GraphQL over HTTP", POST). It accepts
// application/json only: a form on another site cannot send that type without a
// preflight, so it cannot reach a mutation.
//
// It responds with 415 to multipart/form-data and text/plain, the types that a form can send
// without a preflight (Fetch, CORS-safelisted request-header).
func readBody(w http.ResponseWriter, r *http.Request, limit int64) (*graphql.RawParams, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, refuse(http.StatusUnsupportedMediaType,
			model.Invalidf("Content-Type must be application/json in UTF-8"))
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, tooLarge(http.StatusRequestEntityTooLarge, "Body", limit)
	}
	if refused, ok := errors.AsType[*model.Error](err); ok { // auth checks the key while the body is read
		return nil, refuse(statusOfError(refused), refused)
	}
	if err != nil {
		return nil, badRequest(&model.Error{
			Code: model.CodeInvalid, Message: "The body could not be read", Err: err,
		})
	}
	// An array is a batch, which the protocol does not define. It would multiply every limit by the
	// length of the batch.
	if bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")) {
		return nil, badRequest(model.Invalidf("Batches are not supported. Send one operation at a time"))
	}
	params, err := decodeParams(body)
	return params, badRequest(err)
}

// isJSON reports whether the type is JSON in UTF-8, which is the default and the only
// charset of JSON between systems (RFC 8259 section 8.1).
func isJSON(contentType string) bool {
	if contentType == mediaJSON { // most clients send no parameters
		return true
	}
	media, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || media != mediaJSON {
		return false
	}
	charset := parameters["charset"]
	return charset == "" || strings.EqualFold(charset, "utf-8")
}
