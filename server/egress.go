package server

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"portico/internal/background"
	"portico/internal/publicnet"
	"portico/server/settings"
)

// publishers are hosts where the documents of well-known apps are. The check connects to them and
// sends nothing.
var publishers = []string{"claude.ai:443", "chatgpt.com:443", "vscode.dev:443"}

const (
	egressTimeout = 5 * time.Second
	// egressInterval is the interval at which the check is repeated until it succeeds: the network
	// of a machine may be up after the server.
	egressInterval = 10 * time.Minute
)

// egress finds out whether the server can reach the internet, which it needs in order to read the
// documents of apps. Apps that see the documents offered do not register, so without a way out they
// could never sign anybody in.
type egress struct {
	setting settings.ClientDocuments
	// reach connects to a publisher. Only tests replace it.
	reach   func(ctx context.Context) error
	reached atomic.Bool
	checks  background.Group
}

func newEgress(setting settings.ClientDocuments) *egress {
	return &egress{setting: setting, reach: reachPublisher}
}

// offersDocuments reports whether the server's metadata offers client documents.
func (e *egress) offersDocuments() bool {
	return e.setting != settings.DocumentsOff && (e.setting != settings.DocumentsAuto || e.reached.Load())
}

// start checks in the background, unless the setting needs no check, and logs what it finds. The
// caller calls checks.Stop.
func (e *egress) start(p *Program) {
	if e.setting != settings.DocumentsAuto && e.setting != settings.DocumentsOn {
		return
	}
	e.checks.Go(func(ctx context.Context) {
		for first := true; ; first = false {
			err := e.reach(ctx)
			if ctx.Err() != nil {
				return
			}
			if err == nil {
				e.reached.Store(true)
				if !first {
					p.Logger.Info("the server reaches the internet: apps may identify themselves by documents")
				}
				return
			}
			if first {
				e.log(p, err)
			}
			background.Pause(ctx, egressInterval)
		}
	})
}

// log says that the first check has failed, and what follows.
func (e *egress) log(p *Program, err error) {
	if e.setting == settings.DocumentsOn {
		p.Logger.Warn("the server cannot reach the internet, but offers to read the documents of apps (PORTICO_CLIENT_DOCUMENTS=on)", "error", err,
			"hint", "Such apps cannot sign people in, and do not register. Set PORTICO_CLIENT_DOCUMENTS=off, or let the server connect to port 443.")
		return
	}
	p.Logger.Info("the server cannot reach the internet, so it does not offer to read the documents of apps: they register instead", "error", err)
}

// reachPublisher connects to the publishers one after the other, as package oauth does: without a proxy
// and to public addresses only. It returns nil as soon as one of them accepts, and otherwise the
// errors of all.
func reachPublisher(ctx context.Context) error {
	dialer := &net.Dialer{Timeout: egressTimeout, Control: publicnet.Control(publicnet.NewGuard().Permits)}
	var failures []error
	for _, address := range publishers {
		connection, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return connection.Close()
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}
