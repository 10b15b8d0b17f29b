package server

import (
	"portico/graph"
	"portico/web"
)

// application is what handles requests: a program with the parts that only a server needs.
// openApplication returns it complete.
type application struct {
	*Program
	*Listener
	streams  *streams
	site     *web.Site       // where people sign in
	resolver *graph.Resolver // shared by all doors
	egress   *egress
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
	site, err := p.openSite(accounts, listener.limiter)
	if err != nil {
		return nil, err
	}
	resolver, err := p.openResolver(rooms, accounts, site, listener.limiter)
	if err != nil {
		return nil, err
	}
	return &application{
		Program: p, Listener: listener, streams: newStreams(), site: site, resolver: resolver, egress: newEgress(p.Config.ClientDocuments),
	}, nil
}
