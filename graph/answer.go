package graph

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"portico/model"
)

// answerSize refuses answers over model.MaxAnswer before they are written. Pages
// are bounded where they are read; what a document makes of them, by many pages or
// many aliases, is bounded here.
type answerSize struct{}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
	graphql.ResponseInterceptor
	graphql.FieldInterceptor
} = answerSize{}

const (
	// smallValue is up to how many bytes a value is not counted: maxComplexity and
	// maxAlias bound those well enough.
	smallValue = 64
	// pagesAtOnce is how many pages of one operation are read at the same time.
	pagesAtOnce = 4
)

// meter counts the bytes of one answer.
type meter struct {
	read    atomic.Int64 // in pages
	written atomic.Int64 // what values take
	pages   chan struct{}
}

func (m *meter) exceeded() bool {
	return m.read.Load() > model.MaxAnswer || m.written.Load() > model.MaxAnswer
}

// meterOf returns the meter of the operation that ctx belongs to.
func meterOf(ctx context.Context) *meter {
	m, _ := graphql.GetOperationContext(ctx).Stats.GetExtension(answerSize{}.ExtensionName()).(*meter)
	return m
}

func errAnswerSize() error {
	return model.TooLargef("The answer has more than %d bytes: ask for fewer things at a time", model.MaxAnswer)
}

// ExtensionName implements graphql.HandlerExtension.
func (answerSize) ExtensionName() string { return "AnswerSize" }

// Validate implements graphql.HandlerExtension.
func (answerSize) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (a answerSize) MutateOperationContext(_ context.Context, op *graphql.OperationContext) *gqlerror.Error {
	op.Stats.SetExtension(a.ExtensionName(), &meter{pages: make(chan struct{}, pagesAtOnce)})
	return nil
}

// InterceptResponse implements graphql.ResponseInterceptor. Each event of a
// subscription is an answer of its own.
func (answerSize) InterceptResponse(ctx context.Context, next graphql.ResponseHandler) *graphql.Response {
	m := meterOf(ctx)
	if m == nil { // the document was refused
		return next(ctx)
	}
	m.read.Store(0)
	m.written.Store(0)
	response := next(ctx)
	if response == nil || (!m.exceeded() && len(response.Data) <= model.MaxAnswer) {
		return response
	}
	refused := graphql.DefaultErrorPresenter(ctx, errAnswerSize())
	refused.Extensions = map[string]any{"code": string(model.CodeTooLarge)}
	return &graphql.Response{Errors: gqlerror.List{refused}}
}

// InterceptField implements graphql.FieldInterceptor.
func (answerSize) InterceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	if field := graphql.GetFieldContext(ctx); field.IsResolver && isPage(field) {
		return resolvePage(ctx, next)
	}
	value, err := next(ctx)
	size := sizeOf(value)
	if err != nil || size <= smallValue {
		return value, err
	}
	m := meterOf(ctx)
	if m == nil {
		return value, nil
	}
	m.written.Add(size)
	if m.exceeded() {
		return nil, errAnswerSize()
	}
	return value, nil
}

func isPage(field *graphql.FieldContext) bool {
	definition := field.Field.Definition
	return definition != nil && strings.HasSuffix(definition.Type.Name(), "Connection")
}

// resolvePage reads a page in its turn, unless the answer is too large already.
func resolvePage(ctx context.Context, next graphql.Resolver) (any, error) {
	m := meterOf(ctx)
	if m == nil {
		return next(ctx)
	}
	select {
	case m.pages <- struct{}{}:
		defer func() { <-m.pages }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if m.exceeded() {
		return nil, errAnswerSize()
	}
	page, err := next(ctx)
	if err == nil {
		m.read.Add(pageBytes(page))
	}
	return page, err
}

// pageBytes returns how many bytes of clients a page holds in memory.
func pageBytes(page any) (bytes int64) {
	switch page := page.(type) {
	case *model.EntityConnection:
		for _, entity := range page.Nodes {
			bytes += int64(len(entity.Data) + len(entity.State))
		}
	case *model.SpaceConnection:
		for _, space := range page.Nodes {
			bytes += spaceBytes(space)
		}
	case *model.NotificationConnection:
		for _, notification := range page.Nodes {
			bytes += spaceBytes(notification.Space)
		}
	}
	return bytes
}

func spaceBytes(space *model.Space) int64 {
	if space == nil { // one that the caller may not read any more
		return 0
	}
	return int64(len(space.Data) + len(space.Title) + len(space.Description))
}

// sizeOf returns how many bytes a value takes in an answer: the length of client JSON
// and of texts, and 0 for everything else, which is small.
func sizeOf(value any) int64 {
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

// textSize counts what is escaped in JSON: a control character takes six bytes.
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
