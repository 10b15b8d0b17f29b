package server

import (
	"context"
	"time"

	"portico/graph"
	"portico/model"
)

// resolver returns a new resolver, which all doors share.
//
// Accounts and Identities are set by handler. The operator's commands work without them.
func (p *Program) resolver() (*graph.Resolver, error) {
	links, err := graph.NewExportLinks(p.secret)
	if err != nil {
		return nil, err
	}
	return &graph.Resolver{
		DB: p.DB, Store: p.store, Keys: p.Keys, Exports: links, Presence: p.rooms, Logger: p.Logger, EffectiveSettings: p.Settings,
		StoreRequests: func(ctx context.Context) error { return p.metrics.counted.store(ctx, p.DB.AddRequests) },
		Settings: graph.Settings{
			WebURL: p.BaseURL(), Formats: p.Config.Formats,
			MaxFileSize: p.maxFileSize(), MaxPutSize: p.maxPutSize(), AsyncThreshold: int64(p.Config.AsyncThreshold),
			UploadTTL: p.Config.UploadTTL, JobTTL: p.Config.JobTTL, History: p.Config.historyLimits(),
		},
	}, nil
}

// historyLimits returns the limits of the histories of spaces.
func (c *Config) historyLimits() model.HistoryLimits {
	return model.HistoryLimits{Versions: c.HistoryVersions, Age: time.Duration(c.HistoryAge)}
}
