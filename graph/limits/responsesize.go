package limits

import (
	"context"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"golang.org/x/sync/semaphore"

	"portico/model"
)

// ResponseSizeLimit refuses responses over model.MaxResponse before they are sent. Each page has a
// limit where it is read; ResponseSizeLimit is for documents with many pages or aliases.
//
// What is counted, and when:
//
//	pages     their JSON and texts, when they are read: before the next page is
//	values    texts and JSON over maxUncountedValue, when their resolver returns
//	response  its bytes, when it is encoded
type ResponseSizeLimit struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
} = ResponseSizeLimit{}

// A page of a million bytes is in memory several times while it is encoded.
const (
	// maxUncountedValue is the size in bytes up to which a value is not counted: maxComplexity
	// and MaxAlias limit the small values.
	maxUncountedValue = 64
	// maxConcurrentPages is how many pages of one operation are read concurrently.
	maxConcurrentPages = 4
)

// responseMeter counts the bytes of one response.
type responseMeter struct {
	read    atomic.Int64 // bytes of pages that were read
	written atomic.Int64 // bytes of values
	pages   *semaphore.Weighted
}

func (m *responseMeter) exceeded() bool {
	return m.read.Load() > model.MaxResponse || m.written.Load() > model.MaxResponse
}

// responseMeterOf returns the meter of the operation that ctx belongs to.
func responseMeterOf(ctx context.Context) *responseMeter {
	m, _ := graphql.GetOperationContext(ctx).Stats.GetExtension(ResponseSizeLimit{}.ExtensionName()).(*responseMeter)
	return m
}

// ExtensionName implements graphql.HandlerExtension.
func (ResponseSizeLimit) ExtensionName() string { return "ResponseSizeLimit" }

// Validate implements graphql.HandlerExtension.
func (ResponseSizeLimit) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator. It wraps the middleware of the
// operation once. A graphql.FieldInterceptor would look up the meter, and allocate, for each of
// thousands of fields.
func (l ResponseSizeLimit) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	m, resolve := &responseMeter{pages: semaphore.NewWeighted(maxConcurrentPages)}, op.ResolverMiddleware
	op.Stats.SetExtension(l.ExtensionName(), m)
	op.ResolverMiddleware = func(ctx context.Context, next graphql.Resolver) (any, error) {
		if field := graphql.GetFieldContext(ctx); field.IsResolver && IsConnection(field.Field.Field) {
			return m.readPage(ctx, resolve, next)
		}
		value, err := resolve(ctx, next)
		if err != nil {
			return value, err
		}
		return value, m.write(valueSize(value))
	}
	return nil
}

// InterceptResponse implements graphql.ResponseInterceptor. Each event of a subscription is one
// response.
func (ResponseSizeLimit) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	m := responseMeterOf(ctx)
	if m == nil { // the document was refused
		return next(ctx)
	}
	m.read.Store(0)
	m.written.Store(0)
	response := next(ctx)
	if response == nil || (!m.exceeded() && len(response.Data) <= model.MaxResponse) {
		return response
	}
	refused := graphql.DefaultErrorPresenter(ctx, model.ResponseTooLarge())
	refused.Extensions = map[string]any{"code": model.CodeTooLarge.GraphQLConstant()}
	return &graphql.Response{Errors: gqlerror.List{refused}}
}

// write counts a value of this size in bytes, and refuses it if the response is then too large.
func (m *responseMeter) write(size int64) error {
	if size <= maxUncountedValue {
		return nil
	}
	m.written.Add(size)
	if m.exceeded() {
		return model.ResponseTooLarge()
	}
	return nil
}

// readPage reads a page, unless the response is too large already. It waits while
// maxConcurrentPages others are read.
//
// The fields of an operation are resolved at the same time, so without the slots all pages would be
// in memory before the first one is counted.
func (m *responseMeter) readPage(ctx context.Context, resolve graphql.FieldMiddleware, next graphql.Resolver) (any, error) {
	if err := m.pages.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer m.pages.Release(1)
	if m.exceeded() {
		return nil, model.ResponseTooLarge()
	}
	page, err := resolve(ctx, next)
	switch model.CodeOf(err) {
	case "":
		m.read.Add(pageSize(page))
	case model.CodeTooLarge: // the pages of many rows, which are read together
		m.read.Add(model.MaxResponse + 1)
	}
	return page, err
}

// pageSize returns the size of the JSON and texts of a page in memory, in bytes.
func pageSize(page any) (bytes int64) {
	switch page := page.(type) {
	case *model.EntityConnection:
		for _, entity := range page.Nodes {
			bytes += int64(len(entity.Data) + len(entity.State))
		}
	case *model.SpaceConnection:
		for _, space := range page.Nodes {
			bytes += spaceSize(space)
		}
	case *model.NotificationConnection:
		for _, notification := range page.Nodes {
			bytes += spaceSize(notification.Space)
		}
	}
	return bytes
}

func spaceSize(space *model.Space) int64 {
	if space == nil { // the caller may no longer read it
		return 0
	}
	return int64(space.Bytes())
}

// valueSize returns the size of a value in the response, in bytes: the length of JSON and of
// texts, and 0 for other values, which are small.
func valueSize(value any) int64 {
	switch value := value.(type) {
	case model.Object:
		return int64(len(value))
	case string:
		return textSize(value)
	case *string:
		if value != nil {
			return textSize(*value)
		}
	case []string:
		size := int64(0)
		for _, text := range value {
			size += 3 + textSize(text)
		}
		return size
	}
	return 0
}

// textSize returns the size of a text as JSON: an escaped control character has six bytes. It is
// exact for ASCII.
func textSize(text string) int64 {
	size := int64(len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ':
			size += 5
		case c == '"', c == '\\':
			size++
		}
	}
	return size
}
