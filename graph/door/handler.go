package door

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"go.opentelemetry.io/otel/trace"

	"portico/auth"
	"portico/graph"
	"portico/graph/access"
	"portico/graph/limits"
	"portico/graph/transport"
	"portico/limit"
	"portico/model"
)

// HandlerOptions configures NewHandler.
type HandlerOptions struct {
	// Resolver implements the operations; its logger receives internal errors.
	Resolver *graph.Resolver
	// Keys finds the caller of a request by its key. A request without a key may read the
	// schema and what everybody may see.
	Keys *auth.Keys
	// Secret is the key with which the addresses of clients are hashed. Visits without an API key
	// are counted by this hash. All processes of the server need the same secret.
	Secret []byte
	// Session returns the caller of a request without a key by the browser's session, or
	// nil without a session. It refuses requests of other sites' pages, including
	// sockets, whose origin the handler does not check. The caller has Check and Watch.
	// Nil means that there are no sessions.
	Session func(w http.ResponseWriter, r *http.Request) (*model.Caller, error)
	// LinkVisits returns what the browser has got by share links, of a request without a key. It
	// refuses the requests that Session refuses. Nil means that there are no share links.
	LinkVisits func(r *http.Request) ([]*model.LinkVisit, error)
	// Limiter counts operations in the scopes of the matching REST endpoints (API section 8). Nil
	// means no limit.
	Limiter *limit.Limiter
	// BaseURL is the public address of the server, without a final slash. The response to
	// an invalid key names the OAuth metadata below it.
	BaseURL string
	// NoIntrospection refuses queries of the schema.
	NoIntrospection bool
	// Tracer creates a span for each operation. Nil means no spans.
	Tracer trace.Tracer
}

// NewHandler serves GraphQL over WebSocket, server-sent events and HTTP.
//
// The order of the transports decides who answers: a request with Upgrade is a WebSocket, one that
// accepts text/event-stream is SSE, and the rest is GraphQL over HTTP. limits.KeyCheck comes after the
// limits, so a document that no key could make valid costs no query.
func NewHandler(o HandlerOptions) http.Handler { return newHandler(o, newSchema(o.Resolver)) }

// newHandler is NewHandler with the schema that executes the operations.
func newHandler(o HandlerOptions, schema graphql.ExecutableSchema) http.Handler {
	d := &door{HandlerOptions: o, present: presenter(o.Resolver.Logger())}
	server := handler.New(sharedEventSchema{schema, d.present})
	server.SetErrorPresenter(d.present)
	server.SetRecoverFunc(panicError)
	server.SetDisableSuggestion(true)
	server.SetValidationRulesFn(validationRules)
	d.addExtensions(server)
	if !o.NoIntrospection {
		server.Use(extension.Introspection{})
	}
	if o.Tracer != nil {
		server.Use(limits.OperationSpans{Tracer: o.Tracer})
	}
	server.Use(limits.KeyCheck{})
	backlog := transport.NewBacklog(limits.MaxBacklog)
	addTransport := func(t graphql.Transport) {
		server.AddTransport(limits.StrictVariables{Transport: t, Schema: schema.Schema()})
	}
	addTransport(transport.WebSocket{
		Init: d.connect, Present: d.present, Logger: o.Resolver.Logger(), CheckOrigin: anyOrigin, Backlog: backlog,
		Acquire: limits.NewConnectionLimit("sockets", limits.MaxSockets, holder).Acquire,
	})
	addTransport(transport.SSE{
		Present: d.present, Logger: o.Resolver.Logger(), Backlog: backlog,
		Acquire: limits.NewConnectionLimit("streams", limits.MaxStreams, holder).Acquire,
	})
	addTransport(transport.HTTP{Present: d.present, Logger: o.Resolver.Logger(), Challenge: d.challenge()})
	return d.authenticate(server)
}

// validationRules returns the rules for documents without the ones that suggest names of the schema.
// Of the rules with suggestions, SetDisableSuggestion replaces only those for fields.
func validationRules() *rules.Rules {
	all := rules.NewDefaultRules()
	for _, silent := range []core.Rule{
		rules.KnownArgumentNamesRuleWithoutSuggestions, rules.KnownTypeNamesRuleWithoutSuggestions, rules.ValuesOfCorrectTypeRuleWithoutSuggestions,
	} {
		all.ReplaceRule(strings.TrimSuffix(silent.Name, "WithoutSuggestions"), silent.RuleFunc)
	}
	return all
}

// deferDirective is the directive that delays parts of a response. The GraphQL specification does
// not have it, and clients expect it over another protocol, so the schema does not have it.
const deferDirective = "defer"

// newSchema returns the schema with its resolvers, without a directive that the parser adds to
// every schema and the transports do not support.
func newSchema(r *graph.Resolver) graphql.ExecutableSchema {
	generated := &executableSchema{Resolvers: Resolvers(r)}
	schema := *generated.Schema()
	schema.Directives = maps.Clone(schema.Directives)
	delete(schema.Directives, deferDirective)
	generated.SchemaData = &schema
	return generated
}

// Schema returns the text of the schema, with the descriptions of all its parts.
func Schema() string { return sources[0].Input }

// door is what the handlers of GraphQL share. Its methods are called by all requests at the same
// time. Nothing in it changes after NewHandler.
type door struct {
	HandlerOptions
	present graphql.ErrorPresenterFunc
}

// addExtensions adds the extensions for every document. They refuse in this order, the cheapest
// check first:
//
//	limits.ShapeLimit           the size of the document
//	AutomaticPersistedQuery     the hash of a document that the server has not seen
//	parser token limit          limits.MaxTokens
//	limits.ShapeLimit           the nesting, the fields and the aliases
//	limits.ComplexityLimit      the estimated size of the response
//	limits.RateLimit            the operations of an account in a minute
//	subscriptionLimit           the open subscriptions
//	limits.ResponseSizeLimit    the bytes of the response, while it is made
//
// batches refuses nothing: it makes one query for a field of many rows. limits.IntrospectionNulls refuses
// nothing either. limits.StrictVariables refuses an operation after all of them.
func (d *door) addExtensions(server *handler.Server) {
	server.SetParserTokenLimit(limits.MaxTokens)
	server.SetQueryCache(lru.New[*ast.QueryDocument](limits.QueryCache))
	server.Use(limits.ShapeLimit{})
	server.Use(extension.AutomaticPersistedQuery{Cache: lru.New[string](limits.PersistedCache)})
	server.Use(limits.ComplexityLimit{})
	server.Use(limits.ResponseSizeLimit{})
	server.Use(batches{})
	server.Use(limits.RateLimit{Count: d.count})
	server.Use(limits.NewSubscriptionLimit(holder))
	server.Use(limits.IntrospectionNulls{})
}

// count counts operations in their scopes, for the account or the address of ctx. TakeMore leaves
// out the request that authenticate has counted.
func (d *door) count(ctx context.Context, operations []string) error {
	scopes := make([]limit.Scope, len(operations))
	for i, operation := range operations {
		scopes[i] = limit.ScopeOf(operation)
	}
	if c := model.CallerFrom(ctx); c != nil {
		return d.Limiter.Take(ctx, limit.UserSubject(c.UserID), scopes...)
	}
	sender := anonymousFrom(ctx)
	switch {
	case sender == nil:
		return nil
	case sender.counted:
		return d.Limiter.TakeMore(ctx, limit.Subject(sender.address), scopes...)
	}
	return d.Limiter.Take(ctx, limit.Subject(sender.address), scopes...)
}

// holder returns the account and the address that the connections of a request count for.
func holder(ctx context.Context) (account, address string) {
	return access.ViewerID(ctx), access.Sender(ctx)
}

// anyOrigin lets pages of every site open a WebSocket, as CORS does for the other
// transports. Pages of other sites need a key: Session accepts the cookie of the browser only
// from pages of the server's own origin.
func anyOrigin(*http.Request) bool { return true }
