package server

import (
	"fmt"
	"time"

	"portico/limit"
	"portico/worker"
)

// webhookOptions returns what a worker needs to deliver webhooks. The error names a wrong setting.
func (p *Program) webhookOptions() (worker.Webhooks, error) {
	allowed, err := limit.ParseNetworks(p.Config.WebhookNetworks)
	if err != nil {
		return worker.Webhooks{}, fmt.Errorf("PORTICO_WEBHOOK_NETWORKS: %w", err)
	}
	return worker.Webhooks{
		Open: p.Keys.OpenWebhookSecret, Allowed: allowed,
		DisableAfter: 5 * 24 * time.Hour, LogAge: 7 * 24 * time.Hour, // docs/webhooks.md
	}, nil
}
