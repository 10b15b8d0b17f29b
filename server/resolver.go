package server

import (
	"context"
	"time"

	"portico/auth/account"
	"portico/graph"
	"portico/graph/presence"
	"portico/limit"
	"portico/model"
	"portico/web"
)

// openResolver creates the resolver that all doors share. The program must be open.
func (p *Program) openResolver(rooms *presence.Rooms, accounts *account.Registry, site *web.Site, limiter *limit.Limiter) (*graph.Resolver, error) {
	links, err := graph.NewExportLinks(p.secret)
	if err != nil {
		return nil, err
	}
	resolver := graph.New(graph.Options{
		DB: p.DB, Store: p.store, Keys: p.Keys, Accounts: accounts, Identities: site, Exports: links, Presence: rooms, Limiter: limiter, Logger: p.Logger,
		Settings: p.resolverSettings(), EffectiveSettings: p.Settings,
		StoreRequests: func(ctx context.Context) error { return p.metrics.counted.store(ctx, p.DB.Operations().AddRequests) },
	})
	p.onClose("reads for subscriptions", func() error {
		resolver.Close()
		return nil
	})
	p.metrics.registerSubscriptions(resolver)
	return resolver, nil
}

// resolverSettings returns the part of the configuration that resolvers need.
func (p *Program) resolverSettings() graph.Settings {
	return graph.Settings{
		WebURL: p.BaseURL(), Formats: p.Config.Formats,
		MaxFileSize: p.maxFileSize(), MaxPutSize: p.maxPutSize(), AsyncThreshold: int64(p.Config.AsyncThreshold),
		UploadTTL: p.Config.UploadTTL, JobTTL: p.Config.JobTTL, History: p.Config.historyLimits(),
	}
}

func (c *Config) historyLimits() model.HistoryLimits {
	return model.HistoryLimits{Versions: c.HistoryVersions, Age: time.Duration(c.HistoryAge)}
}
