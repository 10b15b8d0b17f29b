package server

import (
	"context"
	"time"

	"portico/graph"
	"portico/model"
)

// openResolver creates the resolver that all doors share. The site and the rooms must be open.
func (p *Program) openResolver() (err error) {
	if p.resolver, err = p.newResolver(p.accounts, p.site); err != nil {
		return err
	}
	p.onClose("reads for subscriptions", func() error {
		p.resolver.Close()
		return nil
	})
	p.metrics.registerSubscriptions(p.resolver)
	return nil
}

// newResolver returns a new resolver. accounts and identities are nil for the operator's commands,
// which call none of the operations for browsers that are signed in.
func (p *Program) newResolver(accounts graph.Accounts, identities graph.Identities) (*graph.Resolver, error) {
	links, err := graph.NewExportLinks(p.secret)
	if err != nil {
		return nil, err
	}
	return graph.New(graph.Options{
		DB: p.DB, Store: p.store, Keys: p.Keys, Accounts: accounts, Identities: identities,
		Exports: links, Presence: p.rooms, Logger: p.Logger, EffectiveSettings: p.Settings,
		StoreRequests: func(ctx context.Context) error { return p.metrics.counted.store(ctx, p.DB.AddRequests) },
		Settings: graph.Settings{
			WebURL: p.BaseURL(), Formats: p.Config.Formats,
			MaxFileSize: p.maxFileSize(), MaxPutSize: p.maxPutSize(), AsyncThreshold: int64(p.Config.AsyncThreshold),
			UploadTTL: p.Config.UploadTTL, JobTTL: p.Config.JobTTL, History: p.Config.historyLimits(),
		},
	}), nil
}

func (c *Config) historyLimits() model.HistoryLimits {
	return model.HistoryLimits{Versions: c.HistoryVersions, Age: time.Duration(c.HistoryAge)}
}
