package server

import (
	"fmt"

	"portico/limit"
)

// openLimiter adds the rate limiter to a listener. It does not connect to Redis, which may start
// later.
//
// A nil limiter, when limits are off, allows everything.
func (p *Program) openLimiter(l *Listener) (err error) {
	if l.proxies, err = limit.ParseNetworks(p.Config.TrustedProxies); err != nil {
		return fmt.Errorf("PORTICO_TRUSTED_PROXIES: %w", err)
	}
	if !p.Config.RateLimits.On() {
		return nil
	}
	l.limiter, err = limit.New(limit.Options{
		RedisURL: p.Config.RedisURL, TrustedProxies: l.proxies, Logger: p.Logger, Limits: p.Config.RateLimits.scopes,
		Refused: func(s limit.Scope) { p.metrics.refusals.WithLabelValues(string(s)).Inc() },
	})
	if err != nil {
		return fmt.Errorf("PORTICO_REDIS_URL: %w", err)
	}
	p.onClose("rate limiter", l.limiter.Close)
	return nil
}
