package door

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"portico/graph/access"
	"portico/graph/transport"
	"portico/model"
)

// authenticate stores the caller of a request with a key in its context, and refuses an invalid
// key. Requests without a valid key count (limit.TakeRequest). The headers keep responses out of
// caches, and keep browsers from showing the content of clients as a page.
//
// The outcomes, by what the request carries:
//
//	a valid key or session     the operation runs with the caller
//	neither                    the operation runs as anonymous, and counts for the address
//	an invalid key             401, and counts for the address
//	an invalid key, a socket   101, and connect closes the socket with 4401
//	too many without a key     429
//	an error of the database   500, and is not counted
func (d *door) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if r.Header.Get("Authorization") == "" && !model.MayCountVisit(r.Header) {
			r = r.WithContext(model.WithoutCount(r.Context()))
		}
		caller, err := d.caller(w, r)
		if err == nil {
			var leave func()
			r, leave, err = d.withLinkVisits(r)
			defer leave()
		}
		if caller == nil && model.CodeOf(err) != model.CodeInternal {
			if limited := d.Limiter.TakeRequest(r); limited != nil {
				d.refuse(w, r, limited)
				return
			}
		}
		switch code := model.CodeOf(err); {
		case err == nil && caller == nil:
			r = r.WithContext(d.withAnonymous(r))
		case err == nil:
			ctx := model.WithCaller(r.Context(), caller)
			if !caller.Connected && isStream(r) { // connect watches for a socket
				watched, release := caller.Watch(ctx)
				defer release()
				ctx = watched
			}
			r = r.WithContext(ctx)
		case code == model.CodeUnauthenticated && transport.WebSocket{}.Supports(r):
			// connect closes the socket with 4401. A client would treat a failed handshake as a
			// network problem, and would keep connecting again.
		default:
			d.refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withLinkVisits returns the request with what the browser has got by share links. A stream or a socket
// learns when a link ends: leave stops watching.
//
// A request with a key is of a program, which has no links. So a program sees what its account may see.
func (d *door) withLinkVisits(r *http.Request) (_ *http.Request, leave func(), err error) {
	leave = func() {}
	if d.LinkVisits == nil || r.Header.Get("Authorization") != "" {
		return r, leave, nil
	}
	visits, err := d.LinkVisits(r)
	if err != nil || len(visits) == 0 {
		return r, leave, err
	}
	ctx := r.Context()
	if isStream(r) {
		watched, stop := context.WithCancel(ctx)
		leave = stop
		for _, visit := range visits {
			ended, _ := d.Keys.WatchVisit(watched, visit.LinkAccess) // leave stops it
			visit.Ended = ended.Done()
		}
	}
	return r.WithContext(model.WithLinkVisits(ctx, visits)), leave, nil
}

// caller returns the caller of a request by the key in its header, or by the session
// of the browser where there is no key; nil without either.
func (d *door) caller(w http.ResponseWriter, r *http.Request) (caller *model.Caller, err error) {
	switch {
	case r.Header.Get("Authorization") != "":
		caller, err = d.Keys.RequestCaller(r)
	case d.Session != nil:
		caller, err = d.Session(w, r)
	}
	if err != nil || caller == nil {
		return nil, err
	}
	caller.Connected = transport.WebSocket{}.Supports(r)
	if isStream(r) { // sends its headers before the operation runs
		caller.SetSession = nil
	}
	return caller, nil
}

// isStream reports whether the request opens a stream or a socket.
func isStream(r *http.Request) bool {
	return transport.WebSocket{}.Supports(r) || transport.SSE{}.Supports(r)
}

// connect reads the key of a WebSocket from connection_init, as
// {"Authorization": "Bearer KEY"}. Without a key, the caller of the socket is the caller of
// its request, or anonymous.
//
// It carries out the ConnectionInit message of graphql-transport-ws. Browsers cannot set headers on
// a WebSocket, so the key may come in the payload. A key in the payload replaces the caller of the
// request.
func (d *door) connect(ctx context.Context, payload json.RawMessage) (context.Context, error) {
	var init struct{ Authorization string }
	if len(payload) > 0 && json.Unmarshal(payload, &init) != nil {
		return ctx, model.Invalidf("Authorization in the payload of connection_init must be a string")
	}
	if init.Authorization == "" {
		return d.connectCaller(ctx)
	}
	c, err := d.Keys.HeaderCaller(ctx, init.Authorization)
	if err != nil {
		d.logConnectError(ctx, err)
		return ctx, err
	}
	c.Connected = true
	ctx, release := c.Watch(model.WithCaller(ctx, c))
	context.AfterFunc(ctx, release) // ends with the socket, or with the key
	return ctx, nil
}

// connectCaller accepts a socket for the caller of its request, or as anonymous. The caller is checked
// again, because connection_init may arrive seconds after the request. A request with an invalid key
// has no caller, and is refused.
func (d *door) connectCaller(ctx context.Context) (context.Context, error) {
	if anonymousFrom(ctx) != nil {
		return ctx, nil
	}
	c, err := access.Caller(ctx)
	if err == nil {
		err = c.Check(ctx)
	}
	if err != nil {
		d.logConnectError(ctx, err)
		return ctx, err
	}
	ctx, release := c.Watch(ctx)
	context.AfterFunc(ctx, release) // ends with the socket, the key or the session
	return ctx, nil
}

// logConnectError logs a fault of a socket's authentication, because the transport closes the
// socket without a message.
func (d *door) logConnectError(ctx context.Context, err error) {
	model.LogFault(ctx, d.Resolver.Logger(), err, "door", "graphql", "step", "connection_init")
}

// anonymous is the sender of a request without a key or session, who may read what everybody
// may read. The limits of the sender's address apply.
type anonymous struct {
	address string // or the network of an IPv6 address, as limits count it
	// counted reports whether authenticate has counted the operation of the request.
	// For a socket it has counted the handshake, but no operation.
	counted bool
}

// anonymousKey is the key of the *anonymous in a context.
type anonymousKey struct{}

// anonymousFrom returns the sender of a request without a key or session; nil for others.
func anonymousFrom(ctx context.Context) *anonymous {
	a, _ := ctx.Value(anonymousKey{}).(*anonymous)
	return a
}

// withAnonymous returns the context of a request without a key or session.
func (d *door) withAnonymous(r *http.Request) context.Context {
	a := &anonymous{address: string(d.Limiter.AddressSubject(r)), counted: !transport.WebSocket{}.Supports(r)}
	ctx := access.WithSender(r.Context(), a.address)
	ctx = model.WithVisitor(ctx, visitorID(d.Secret, a.address, time.Now()))
	return context.WithValue(ctx, anonymousKey{}, a)
}
