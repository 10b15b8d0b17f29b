package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"portico/limit"
	"portico/worker"
)

// webhookLogAge is how long an ended delivery of a webhook is kept.
const webhookLogAge = 7 * 24 * time.Hour

// startWorker starts to work on jobs, until stopWorker is called. ctx limits only the start.
//
// Conversions run in this same program, started again as a child, so a worker needs no other file.
func (p *Program) startWorker(ctx context.Context) (*worker.Worker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find the program that converts: %w", err)
	}
	sender, err := p.Config.MailSender()
	if err != nil {
		return nil, err
	}
	webhooks, err := p.webhookOptions()
	if err != nil {
		return nil, err
	}
	w, err := worker.Start(ctx, worker.Options{
		DB: p.DB, Store: p.store,
		Program: []string{program}, WorkFolder: filepath.Join(p.Config.DataDir, "work"),
		ChildMemory: int64(p.Config.ConvertMemory), Jobs: p.Config.Workers,
		JobRetention: max(p.Config.JobTTL, time.Duration(p.Config.JobHistory)), RiverRetention: p.Config.JobTTL,
		AuditRetention: time.Duration(p.Config.AuditRetention), History: p.Config.HistoryLimits(),
		Logger: p.Logger, Observe: p.metrics.ObserveAttempt, Tracer: p.tracing.Tracer(),
		Mail: sender, Webhooks: webhooks, BaseURL: p.BaseURL(),
	})
	if err == nil {
		p.metrics.SetConfinement(w.Confinement())
	}
	return w, err
}

// webhookOptions returns what a worker needs to deliver webhooks. The error names a wrong setting.
func (p *Program) webhookOptions() (worker.Webhooks, error) {
	allowed, err := limit.ParseNetworks(p.Config.WebhookNetworks)
	if err != nil {
		return worker.Webhooks{}, fmt.Errorf("PORTICO_WEBHOOK_NETWORKS: %w", err)
	}
	return worker.Webhooks{
		Open: p.Keys.OpenWebhookSecret, Allowed: allowed,
		DisableAfter: 5 * 24 * time.Hour, LogAge: webhookLogAge, // docs/webhooks.md
	}, nil
}
