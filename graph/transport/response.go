package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// The responses for an error that cannot be encoded.
const (
	internalErrors = `[{"message":"` + model.InternalMessage +
		`","extensions":{"code":"INTERNAL"}}]`
	internalBody = `{"errors":` + internalErrors + `}`
)

// presenter renders the errors of the transport.
type presenter struct {
	render graphql.ErrorPresenterFunc // nil renders by model.AsError
	log    *slog.Logger               // of panics in render; nil logs none
}

func (p presenter) present(ctx context.Context, err error) (presented *gqlerror.Error) {
	// A socket calls this outside the goroutine in which net/http recovers panics. A panic there
	// would end the process.
	defer func() {
		if value := recover(); value != nil {
			p.logPanic(ctx, value)
			presented = defaultError(err)
		}
	}()
	if p.render != nil {
		if presented := p.render(ctx, err); presented != nil {
			return presented
		}
	}
	return defaultError(err)
}

// logPanic logs a panic of render with its stack, even after the client has disconnected: it is a
// bug, and the response does not show it.
func (p presenter) logPanic(ctx context.Context, value any) {
	if p.log != nil {
		err := fmt.Errorf("panic in the error presenter: %v\n%s", value, debug.Stack())
		model.LogFault(context.WithoutCancel(ctx), p.log, err, "door", "graphql")
	}
}

// defaultError returns the error as clients see it, with err as the cause for the log.
func defaultError(err error) *gqlerror.Error {
	e := model.AsError(err)
	return &gqlerror.Error{Err: err, Message: e.Message, Extensions: map[string]any{"code": e.Code.GraphQLConstant()}}
}

// refused returns a response with err and no data.
func (p presenter) refused(ctx context.Context, err error) *graphql.Response {
	return &graphql.Response{Errors: gqlerror.List{p.present(ctx, err)}}
}

// encode returns the response as JSON. If that fails, it returns an internal error, which the
// presenter has logged.
func (p presenter) encode(ctx context.Context, response *graphql.Response) []byte {
	body, err := encodeResponse(response)
	if err == nil {
		return body
	}
	if body, err = encodeResponse(p.refused(ctx, err)); err == nil {
		return body
	}
	return []byte(internalBody)
}

// encodeResponse encodes the members of the response. It copies the data as the resolvers encoded
// it: encoding it again would take as long as the query, and would escape <, > and &. The response
// of an operation that did not run has no data member, not even null ("GraphQL over HTTP", Body).
//
// The order of the members is errors, data, extensions: a person who reads a response sees the
// errors first (GraphQL specification section 7.1, "Response Format").
func encodeResponse(response *graphql.Response) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, len(response.Data)+64))
	members := []struct {
		name    string
		present bool
		value   any
	}{
		{"errors", len(response.Errors) > 0, response.Errors},
		{"data", len(response.Data) > 0, response.Data},
		{"label", response.Label != "", response.Label},
		{"path", len(response.Path) > 0, response.Path},
		{"hasNext", response.HasNext != nil, response.HasNext},
		{"extensions", len(response.Extensions) > 0, response.Extensions},
	}
	separator := byte('{')
	for _, m := range members {
		if !m.present {
			continue
		}
		b.WriteByte(separator)
		separator = ','
		if err := writeMember(b, m.name, m.value); err != nil {
			return nil, err
		}
	}
	if separator == '{' {
		b.WriteByte('{')
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// writeMember writes a member. Its name must need no escape.
func writeMember(b *bytes.Buffer, name string, value any) error {
	b.WriteString(`"` + name + `":`)
	if raw, ok := value.(json.RawMessage); ok {
		b.Write(raw)
		return nil
	}
	encoded, err := encodeValue(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	b.Write(encoded)
	return nil
}

// encodeValue is json.Marshal without the escaping of HTML.
func encodeValue(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
