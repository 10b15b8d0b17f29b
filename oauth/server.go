package oauth

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-oauth2/oauth2/v4/manage"
	"github.com/go-oauth2/oauth2/v4/server"

	"portico/db"
	"portico/internal/counter"
	"portico/web"
)

// Keys are the API keys of accounts, which apps get as their access tokens. It is an interface
// because the server of apps does not depend on how callers are authenticated; *auth.Keys
// implements it.
type Keys interface {
	// Show returns the key of the user. It returns CodeNotFound if there is none, and
	// model.ErrKeySealed if it cannot be decrypted.
	Show(ctx context.Context, userID string) (string, error)
	// KeyFor returns the key of the user for a client, and creates it if there is none. It returns
	// CodeUnauthenticated if this access version of the account has ended.
	KeyFor(ctx context.Context, userID, clientID string, version int64) (string, error)
	// RevokeKey revokes the key. It succeeds for a key that is unknown or was revoked before.
	RevokeKey(ctx context.Context, key string) error
}

// Options are the dependencies and settings of the server. DB, Keys, Site and BaseURL must be
// set.
type Options struct {
	// DB stores clients and codes.
	DB *db.DB
	// Keys returns the access tokens, which are the accounts' API keys.
	Keys Keys
	// Site finds the signed-in user, and shows the consent page.
	Site *web.Site
	// BaseURL is the public address of the server, and its issuer identifier.
	BaseURL string
	// NoDocuments refuses apps that identify themselves by a client ID metadata document.
	NoDocuments bool
	// OffersDocuments reports whether the metadata offers such documents. An app that sees them
	// offered does not register. Nil means unless NoDocuments.
	OffersDocuments func() bool
	// Unlimited turns off the limits on registrations and documents, for load tests.
	Unlimited bool
	// Logger logs internal errors; nil means slog.Default.
	Logger *slog.Logger
}

// maxRegistrations is the maximum number of clients that one address may register in an hour.
const maxRegistrations = 100

// Server is the authorization server. Its fields are set once.
type Server struct {
	db            *db.DB
	keys          Keys
	site          *web.Site
	base          string
	log           *slog.Logger
	library       *server.Server
	registrations *counter.Attempts // by address; nil means no limit
	documents     *documents        // nil if apps may not identify themselves by documents
	// offersDocuments reports whether the metadata offers documents.
	offersDocuments func() bool
}

// New returns a server that stores its clients and codes in o.DB. It starts no goroutine.
func New(o Options) *Server {
	s := &Server{
		db: o.DB, keys: o.Keys, site: o.Site, base: strings.TrimRight(o.BaseURL, "/"),
		log: cmp.Or(o.Logger, slog.Default()), offersDocuments: o.OffersDocuments,
	}
	if s.offersDocuments == nil {
		s.offersDocuments = func() bool { return !o.NoDocuments }
	}
	if !o.NoDocuments {
		s.documents = newDocuments()
	}
	if !o.Unlimited && s.documents != nil {
		s.documents.fetches = counter.NewAttempts(maxFetches, fetchWindow)
	}
	if !o.Unlimited {
		s.registrations = counter.NewAttempts(maxRegistrations, time.Hour)
	}
	s.library = s.newLibrary()
	return s
}

// newLibrary configures the library for the only supported flow. Its defaults would allow passwords,
// tokens in addresses, and plain challenges.
func (s *Server) newLibrary() *server.Server {
	manager := manage.NewManager()
	manager.MapClientStorage(clientStore{s.db})
	manager.MapTokenStorage(codeStore{s.db})
	manager.MapAccessGenerate(keyTokens{s.keys})
	// The library would accept every host that ends with the registered one. Server.findClient has
	// compared the whole address, to which the code is bound.
	manager.SetValidateURIHandler(func(string, string) error { return nil })
	library := server.NewServer(libraryConfig(), manager)
	library.ClientInfoHandler = clientIDOf
	return library
}

// apiPrefix is the second prefix of every path.
const apiPrefix = "/api"

// Handler returns the handler of the paths of OAuth, at the root and below /api. It passes other
// requests to next; if next is nil, it responds with 404.
func (s *Server) Handler(next http.Handler) http.Handler {
	if next == nil {
		next = http.NotFoundHandler()
	}
	routes := map[string]http.Handler{}
	for _, path := range []string{"", apiPrefix} {
		issuer := s.base + path
		routes[path+"/authorize"] = s.site.Page(web.Methods{"GET": s.authorize(issuer), "POST": s.decide(issuer)})
		routes[path+"/register"] = s.endpoint(http.MethodPost, s.register)
		routes[path+"/token"] = s.endpoint(http.MethodPost, s.token)
		routes[path+"/revoke"] = s.endpoint(http.MethodPost, s.revoke)
		routes[path+serverMetadataPath] = s.endpoint(http.MethodGet, s.serverMetadata(issuer))
		for _, resource := range resourcePaths {
			routes[path+resourceMetadataPath+resource] = s.endpoint(http.MethodGet, s.resourceMetadata(issuer+resource))
		}
	}
	routes[resourceMetadataPath+graphQLPath] = s.endpoint(http.MethodGet, s.resourceMetadata(s.base+graphQLPath))
	// RFC 8414 section 3 and RFC 9728 section 3 put the well-known part before the path of
	// an issuer or resource.
	routes[serverMetadataPath+apiPrefix] = routes[apiPrefix+serverMetadataPath]
	for _, resource := range resourcePaths {
		routes[resourceMetadataPath+apiPrefix+resource] = routes[apiPrefix+resourceMetadataPath+resource]
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route, ok := routes[web.WithoutEmptySegments(r.URL.Path)]; ok {
			route.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
