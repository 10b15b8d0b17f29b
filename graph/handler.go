package graph

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"go.opentelemetry.io/otel/trace"

	"portico/auth"
	"portico/graph/transport"
	"portico/limit"
	"portico/model"
)

// HandlerOptions says how GraphQL is served.
type HandlerOptions struct {
	// Resolver carries the operations out, and its Logger gets what fails.
	Resolver *Resolver
	// Keys tells whose key a request carries. One without a key may ask for
	// the schema; every resolver refuses it.
	Keys *auth.Keys
	// Session returns who a request without a key asks for by the session of a
	// browser, nil for nobody; it sees to it that no other site asks. It is asked for
	// queries and mutations alone: what lives on takes a key. Nil knows no sessions.
	Session func(r *http.Request) (*model.Caller, error)
	// Limiter counts operations in the scopes of their REST equals (API section
	// 8); nil counts nothing.
	Limiter *limit.Limiter
	// BaseURL is the public address of the server, without a final slash; a
	// refused key is pointed at the OAuth metadata below it.
	BaseURL string
	// NoIntrospection keeps the schema to ourselves.
	NoIntrospection bool
	// Tracer makes a span of each operation; nil makes none.
	Tracer trace.Tracer
}

// NewHandler serves GraphQL over WebSocket, server-sent events and HTTP.
func NewHandler(o HandlerOptions) http.Handler {
	d := &door{HandlerOptions: o, present: presenter(o.Resolver.Logger)}
	server := handler.New(NewExecutableSchema(Config{Resolvers: o.Resolver, Complexity: complexity()}))
	server.SetErrorPresenter(d.present)
	server.SetRecoverFunc(recovered)
	server.SetDisableSuggestion(true)
	d.limit(server)
	if !o.NoIntrospection {
		server.Use(extension.Introspection{})
	}
	if o.Tracer != nil {
		server.Use(traced{o.Tracer})
	}
	server.Use(checked{d.check})
	backlog := transport.NewBacklog(maxBacklog)
	server.AddTransport(transport.WebSocket{
		Init: d.connect, Present: d.present, CheckOrigin: anyOrigin, Backlog: backlog,
		Acquire: newConnections("sockets", maxSockets).acquire,
	})
	server.AddTransport(transport.SSE{
		Present: d.present, Backlog: backlog, Acquire: newConnections("streams", maxStreams).acquire,
	})
	server.AddTransport(transport.HTTP{Present: d.present})
	return d.authenticate(server)
}

// door is what the handler consists of.
type door struct {
	HandlerOptions
	present graphql.ErrorPresenterFunc
}

// limit bounds what a document may ask for, in the order in which it costs.
func (d *door) limit(server *handler.Server) {
	server.SetParserTokenLimit(maxTokens)
	server.SetQueryCache(lru.New[*ast.QueryDocument](queryCache))
	server.Use(shape{})
	server.Use(extension.AutomaticPersistedQuery{Cache: lru.New[string](persistedCache)})
	server.Use(&cost{})
	server.Use(answerSize{})
	server.Use(counted{d.Limiter})
}

// counted takes each operation of a document with a key from the limits, before
// any of them is carried out. Those without a key count for their address, which
// authenticate has seen to.
type counted struct{ limiter *limit.Limiter }

var _ interface {
	graphql.HandlerExtension
	graphql.OperationContextMutator
} = counted{}

// ExtensionName implements graphql.HandlerExtension.
func (counted) ExtensionName() string { return "RateLimit" }

// Validate implements graphql.HandlerExtension.
func (counted) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationContext implements graphql.OperationContextMutator.
func (c counted) MutateOperationContext(ctx context.Context, op *graphql.OperationContext) *gqlerror.Error {
	who := model.CallerFrom(ctx)
	if who == nil {
		return nil
	}
	scopes := scopesOf(op.Operation.SelectionSet, op.Variables)
	if len(scopes) == 0 { // the schema alone is asked for
		scopes = []limit.Scope{limit.All}
	}
	if err := c.limiter.Take(ctx, limit.UserSubject(who.UserID), scopes...); err != nil {
		return gqlerror.Wrap(err)
	}
	return nil
}

// scopesOf returns the scope of each operation in a selection of root fields,
// fragments included: an alias is an operation of its own.
func scopesOf(selection ast.SelectionSet, variables map[string]any) []limit.Scope {
	var scopes []limit.Scope
	for _, s := range selection {
		switch s := s.(type) {
		case *ast.Field:
			if !strings.HasPrefix(s.Name, "__") {
				scopes = append(scopes, limit.ScopeOf(operationOf(s, variables)))
			}
		case *ast.InlineFragment:
			scopes = append(scopes, scopesOf(s.SelectionSet, variables)...)
		case *ast.FragmentSpread:
			scopes = append(scopes, scopesOf(s.Definition.SelectionSet, variables)...)
		}
	}
	return scopes
}

// operationOf returns the operation that a root field counts as.
func operationOf(field *ast.Field, variables map[string]any) string {
	if field.Name == "updateSpace" {
		input, _ := field.ArgumentMap(variables)["input"].(map[string]any)
		if input["privacy"] != nil {
			return limit.PrivacyChange
		}
	}
	return field.Name
}

// anyOrigin lets the pages of every site connect, as CORS does for the other
// transports: a socket speaks for the key that it was given, never for a cookie,
// so there is nothing that a foreign page could borrow.
func anyOrigin(*http.Request) bool { return true }

// authenticate puts the caller of a request with a key into its context, and
// refuses a bad key at once. What comes without a valid key counts for its
// address, which is what limits guessing. No answer is kept by caches or read as a
// page, whatever a client put into it.
func (d *door) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		caller, err := d.caller(r)
		if caller == nil && model.CodeOf(err) != model.CodeInternal {
			if limited := d.Limiter.Take(r.Context(), d.Limiter.Subject(r), limit.All); limited != nil {
				d.refuse(w, r, limited)
				return
			}
		}
		switch code := model.CodeOf(err); {
		case err == nil && caller == nil: // may ask for the schema
		case err == nil:
			ctx, release := d.watched(model.WithCaller(r.Context(), caller), r)
			defer release()
			r = r.WithContext(ctx)
		case code == model.CodeUnauthenticated && transport.WebSocket{}.Supports(r):
			// connect closes it with 4401. Clients take a handshake that fails
			// for trouble with the network, and try again for ever.
		default:
			d.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// watched returns the context of a request with a key. That of one which lives on,
// a socket or a stream, ends when the key is revoked.
func (d *door) watched(ctx context.Context, r *http.Request) (context.Context, context.CancelFunc) {
	if (transport.WebSocket{}).Supports(r) || (transport.SSE{}).Supports(r) {
		return d.Keys.Watch(ctx, model.CallerFrom(ctx).KeyID)
	}
	return ctx, func() {}
}

// caller returns who holds the key in the request's header; nil without one.
func (d *door) caller(r *http.Request) (*model.Caller, error) {
	if r.Header.Get("Authorization") == "" {
		return d.sessionCaller(r)
	}
	caller, err := d.Keys.RequestCaller(r)
	if err == nil {
		caller.Connected = transport.WebSocket{}.Supports(r)
	}
	return caller, err
}

// check refuses a caller whose key or session is not valid any more.
func (d *door) check(ctx context.Context, who *model.Caller) error {
	if who.Check != nil {
		return who.Check(ctx)
	}
	return d.Keys.Check(ctx, who)
}

// sessionCaller returns who the session of the browser belongs to; nil for nobody.
func (d *door) sessionCaller(r *http.Request) (*model.Caller, error) {
	if d.Session == nil || (transport.WebSocket{}).Supports(r) || (transport.SSE{}).Supports(r) {
		return nil, nil
	}
	return d.Session(r)
}

// connect reads the key of a WebSocket from connection_init, as
// {"Authorization": "Bearer KEY"}, unless the request had one in its header.
func (d *door) connect(ctx context.Context, payload json.RawMessage) (context.Context, error) {
	var init struct{ Authorization string }
	if len(payload) > 0 && json.Unmarshal(payload, &init) != nil {
		return ctx, model.Invalidf("Authorization in the payload of connection_init must be a string")
	}
	if init.Authorization == "" {
		_, err := caller(ctx)
		return ctx, err
	}
	c, err := d.Keys.Caller(ctx, auth.ParseBearer(init.Authorization))
	if err != nil {
		// The transport closes the socket without a word about it. One that has
		// ended meanwhile is no trouble of ours.
		if model.CodeOf(err) == model.CodeInternal && ctx.Err() == nil {
			d.Resolver.Logger.Error("authenticate a websocket", "error", err, "request_id", model.RequestID(ctx))
		}
		return ctx, err
	}
	c.Connected = true
	ctx, release := d.Keys.Watch(model.WithCaller(ctx, c), c.KeyID)
	context.AfterFunc(ctx, release) // ends with the socket, or with the key
	return ctx, nil
}
