package server

import (
	"context"
	"fmt"

	"portico/auth/account"
	"portico/graph"
	"portico/graph/presence"
	"portico/limit"
	"portico/server/connection"
	"portico/web"
	"portico/web/page"
	"portico/web/style"
)

// application is what handles requests: a program with the parts that only a server needs.
// openApplication returns it complete.
type application struct {
	*Program
	*Listener
	streams  *connection.Streams
	site     *web.Site       // where people sign in
	resolver *graph.Resolver // shared by all doors
	egress   *egress
	brand    style.Brand
}

// openApplication opens what handles the requests that the listener accepts, from the inside out.
func (p *Program) openApplication(listener *Listener) (*application, error) {
	rooms, err := p.openRooms()
	if err != nil {
		return nil, err
	}
	accounts, err := p.newAccounts()
	if err != nil {
		return nil, err
	}
	brand, err := p.Config.Brand()
	if err != nil {
		return nil, err
	}
	site, err := p.openSite(accounts, listener.limiter, brand)
	if err != nil {
		return nil, err
	}
	resolver, err := p.openResolver(rooms, accounts, site, listener.limiter)
	if err != nil {
		return nil, err
	}
	return &application{
		Program: p, Listener: listener, streams: connection.NewStreams(), site: site, resolver: resolver, egress: newEgress(p.Config.ClientDocuments), brand: brand,
	}, nil
}

// openRooms creates the rooms in which the visitors of a space see each other.
func (p *Program) openRooms() (*presence.Rooms, error) {
	rooms, err := presence.New(presence.Options{Secret: p.secret, RedisURL: p.Config.RedisURL, Logger: p.Logger})
	if err != nil {
		return nil, fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	p.onClose("rooms of visitors", rooms.Close)
	p.metrics.RegisterVisitors(rooms)
	return rooms, nil
}

// openResolver creates the resolver that all doors share. The program must be open.
func (p *Program) openResolver(rooms *presence.Rooms, accounts *account.Registry, site *web.Site, limiter *limit.Limiter) (*graph.Resolver, error) {
	links, err := graph.NewExportLinks(p.secret)
	if err != nil {
		return nil, err
	}
	hub, err := page.HubPictures(p.BaseURL())
	if err != nil {
		return nil, err
	}
	resolver := graph.New(graph.Options{
		HubPictures: hub,
		DB:          p.DB, Store: p.store, Keys: p.Keys, Accounts: accounts, Identities: site, Exports: links, Presence: rooms, Limiter: limiter, Logger: p.Logger,
		Settings: p.resolverSettings(), EffectiveSettings: p.Settings,
		StoreRequests: func(ctx context.Context) error { return p.metrics.Counted.Store(ctx, p.DB.Operations().AddRequests) },
	})
	p.onClose("reads for subscriptions", func() error {
		resolver.Close()
		return nil
	})
	p.metrics.RegisterSubscriptions(resolver)
	return resolver, nil
}

// resolverSettings returns the part of the configuration that resolvers need.
func (p *Program) resolverSettings() graph.Settings {
	return graph.Settings{
		WebURL: p.BaseURL(), Formats: p.Config.Formats,
		MaxFileSize: p.maxFileSize(), MaxPutSize: p.maxPutSize(), AsyncThreshold: int64(p.Config.AsyncThreshold),
		OpensFiles: !p.servesFiles(), UploadTTL: p.Config.UploadTTL, JobTTL: p.Config.JobTTL, History: p.Config.HistoryLimits(),
	}
}
