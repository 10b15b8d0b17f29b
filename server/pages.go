package server

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"portico"
	"portico/limit"
	"portico/model"
	"portico/storage"
	"portico/web/console"
	"portico/web/page"
	"portico/web/plugin"
)

// pages returns the pages of spaces and people. They handle all paths that no other handler
// handles.
func (a *application) pages() (http.Handler, error) {
	return page.New(page.Options{
		Queries: a.resolver.Query(), Mutations: a.resolver.Mutation(), Site: a.site, BaseURL: a.BaseURL(), FileOrigins: a.fileOrigins(), TakeAway: a.takeAway(),
		CountRequest: a.limiter.TakeRequest,
		CountAddress: func(r *http.Request, n int) error {
			return a.limiter.Take(r.Context(), a.limiter.AddressSubject(r), slices.Repeat([]limit.Scope{limit.All}, n)...)
		},
		PluginFrame: a.pluginFrame(), Brand: a.brand, Retention: a.retention(), IsOperator: a.isOperator, Other: http.HandlerFunc(notFound), Logger: a.Logger,
	})
}

// retention returns how long the server keeps what its operator decides.
func (a *application) retention() page.Retention {
	return page.Retention{
		Jobs: time.Duration(a.Config.JobHistory), Audit: time.Duration(a.Config.AuditRetention),
		History: time.Duration(a.Config.HistoryAge), WebhookLog: webhookLogAge,
	}
}

// isOperator reports whether the caller may operate the server.
func (a *application) isOperator(ctx context.Context) (bool, error) {
	caller := model.CallerFrom(ctx)
	if caller == nil {
		return false, nil
	}
	is, err := a.resolver.Operator().IsOperator(ctx, caller.UserID)
	return is != nil && *is, err
}

// console returns the console, which is a client of GraphQL.
func (a *application) console() (http.Handler, error) {
	return console.New(console.Options{
		Site: a.site, BaseURL: a.BaseURL(), FileOrigins: a.fileOrigins(), Brand: a.brand, Version: Version(), Notes: portico.Changelog,
	})
}

// pluginFrame returns the address of the frame of plugins. It is on the origin of the files if this
// server answers there, and otherwise on the origin of the application.
func (p *Program) pluginFrame() string {
	if p.filesOriginMatcher() != nil && p.servesFiles() {
		if files, err := url.Parse(p.FilesURL()); err == nil {
			return files.Scheme + "://" + files.Host + plugin.Path
		}
	}
	return p.BaseURL() + plugin.Path
}

// presignTimeout limits the time to get the credentials of a bucket.
const presignTimeout = 5 * time.Second

// fileOrigins returns the origins of all addresses that the store gives browsers, except the origin
// of the application. The pages allow these origins in their Content-Security-Policy.
func (p *Program) fileOrigins() []string {
	const key = "10000000/api_uploads/x.bin" // any key, because all objects have the same origins
	ctx, cancel := context.WithTimeout(context.Background(), presignTimeout)
	defer cancel()
	addresses := []string{p.store.PublicURL(key)} // signed addresses have the same origin
	upload, err := p.store.PresignPut(ctx, storage.Upload{
		Key: key, ContentType: "application/octet-stream", Size: 1, Expires: time.Now().Add(time.Minute),
	})
	if err != nil { // the credentials of a bucket may become available after the start
		p.Logger.Warn("the pages of spaces cannot upload: find the origin of uploads", "error", err)
	}
	var origins []string
	for _, address := range append(addresses, upload.URL) {
		u, err := url.Parse(address)
		if err != nil || u.Host == "" {
			continue
		}
		origin := u.Scheme + "://" + u.Host
		if !slices.Contains(origins, origin) && origin != p.BaseURL() {
			origins = append(origins, origin)
		}
	}
	return origins
}
