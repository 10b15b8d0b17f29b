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

// HandlerOptions configures NewHandler.
type HandlerOptions struct {
	// Resolver carries the operations out, and its Logger gets what fails.
	Resolver *Resolver
	// Keys finds the caller of a request by its key. A request without a key may read
	// the schema; every resolver refuses it.
	Keys *auth.Keys
	// Session returns the caller of a request without a key by the session of the
	// browser, nil where there is none. It refuses sessions to the pages of other
	// sites, for sockets too, whose origin the handler does not check. The caller has
	// Check and Watch. Nil means that there are no sessions.
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
// transports. A foreign page needs a key: Session takes the cookie of the browser
// from pages of our own origin alone.
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
			ctx, release := d.watchRequest(model.WithCaller(r.Context(), caller), r)
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

// watchRequest returns the context of a request with a caller. The context of a
// stream or a socket ends with the key or the session. A socket that came with a
// session is left to connect: it may yet name a key.
func (d *door) watchRequest(ctx context.Context, r *http.Request) (context.Context, context.CancelFunc) {
	isSocket := transport.WebSocket{}.Supports(r)
	who := model.CallerFrom(ctx)
	if (isSocket && who.Watch == nil) || (!isSocket && transport.SSE{}.Supports(r)) {
		return d.watch(ctx, who)
	}
	return ctx, func() {}
}

// watch returns a context that ends with the caller's key or session.
func (d *door) watch(ctx context.Context, who *model.Caller) (context.Context, context.CancelFunc) {
	if who.Watch != nil {
		return who.Watch(ctx)
	}
	return d.Keys.Watch(ctx, who.KeyID)
}

// caller returns the caller of a request by the key in its header, or by the session
// of the browser where there is no key; nil without either.
func (d *door) caller(r *http.Request) (caller *model.Caller, err error) {
	switch {
	case r.Header.Get("Authorization") != "":
		caller, err = d.Keys.RequestCaller(r)
	case d.Session != nil:
		caller, err = d.Session(r)
	}
	if err != nil || caller == nil {
		return nil, err
	}
	caller.Connected = transport.WebSocket{}.Supports(r)
	return caller, nil
}

// check refuses a caller whose key or session is not valid any more.
func (d *door) check(ctx context.Context, who *model.Caller) error {
	if who.Check != nil {
		return who.Check(ctx)
	}
	return d.Keys.Check(ctx, who)
}

// connect reads the key of a WebSocket from connection_init, as
// {"Authorization": "Bearer KEY"}. Without one the socket speaks for the caller of
// its request.
func (d *door) connect(ctx context.Context, payload json.RawMessage) (context.Context, error) {
	var init struct{ Authorization string }
	if len(payload) > 0 && json.Unmarshal(payload, &init) != nil {
		return ctx, model.Invalidf("Authorization in the payload of connection_init must be a string")
	}
	if init.Authorization == "" {
		return d.connectCaller(ctx)
	}
	c, err := d.Keys.Caller(ctx, auth.ParseBearer(init.Authorization))
	if err != nil {
		d.logInit(ctx, err)
		return ctx, err
	}
	c.Connected = true
	ctx, release := d.watch(model.WithCaller(ctx, c), c)
	context.AfterFunc(ctx, release) // ends with the socket, or with the key
	return ctx, nil
}

// connectCaller lets in the caller of the request itself. A key in its header is
// watched already; connection_init may come seconds after the session was looked up.
func (d *door) connectCaller(ctx context.Context) (context.Context, error) {
	who, err := caller(ctx)
	if err != nil || who.Watch == nil {
		return ctx, err
	}
	if err := d.check(ctx, who); err != nil {
		d.logInit(ctx, err)
		return ctx, err
	}
	ctx, release := d.watch(ctx, who)
	context.AfterFunc(ctx, release) // ends with the socket, or with the session
	return ctx, nil
}

// logInit logs what failed while a socket was authenticated: the transport closes
// the socket without a word about it. A socket that has ended meanwhile is no trouble
// of ours.
func (d *door) logInit(ctx context.Context, err error) {
	if model.CodeOf(err) == model.CodeInternal && ctx.Err() == nil {
		d.Resolver.Logger.Error("authenticate a websocket", "error", err, "request_id", model.RequestID(ctx))
	}
}
