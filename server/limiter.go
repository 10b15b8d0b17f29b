package server

import (
	"fmt"

	"portico/limit"
)

// openLimiter creates the rate limiter. It does not connect to Redis, which may start later.
//
// A nil limiter, when limits are off, allows everything.
func (p *Program) openLimiter() (err error) {
	if p.proxies, err = limit.ParseNetworks(p.Config.TrustedProxies); err != nil {
		return fmt.Errorf("PORTICO_TRUSTED_PROXIES: %w", err)
	}
	if !p.Config.RateLimits.On() {
		return nil
	}
	p.limiter, err = limit.New(limit.Options{
		RedisURL: p.Config.RedisURL, TrustedProxies: p.proxies, Logger: p.Logger, Limits: p.Config.RateLimits.scopes,
		Refused: func(s limit.Scope) { p.metrics.refusals.WithLabelValues(string(s)).Inc() },
	})
	if err != nil {
		return fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	p.onClose("rate limiter", p.limiter.Close)
	return nil
}
