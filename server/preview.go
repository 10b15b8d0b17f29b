package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"portico/web/preview"
	"portico/web/takeaway"
)

// LocalCapture is a capture on this machine, with the files that its page loads.
type LocalCapture = preview.Capture

// StaticFolder is a folder on this machine to which a space is written that any web server can show.
type StaticFolder = preview.Dir

// ReadStatic reads a space of another server, to write it to a StaticFolder.
func ReadStatic(ctx context.Context, source takeaway.Source, server, id string) (*takeaway.Space, error) {
	return takeaway.Read(ctx, source, server, id)
}

// Preview is the page of a LocalCapture in a browser. It needs no Program: no database, no storage
// and no accounts.
type Preview struct {
	// URL is the address of the page.
	URL      string
	server   http.Server
	listener net.Listener
}

// OpenPreview starts to listen on the port; 0 means a free port. It listens only on 127.0.0.1,
// because the page has no sign-in. The caller must call Serve or Close.
func OpenPreview(ctx context.Context, capture LocalCapture, port int) (*Preview, error) {
	handler, err := preview.New(capture)
	if err != nil {
		return nil, err
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, err
	}
	return &Preview{
		URL:      "http://" + listener.Addr().String() + "/",
		server:   http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second},
		listener: listener,
	}, nil
}

// Serve handles requests until ctx ends. It returns nil after ctx has ended, because closing the
// server is the only way in which http.Server.Serve ends without a fault.
func (p *Preview) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = p.server.Close() })
	defer stop()
	if err := p.server.Serve(p.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Close stops a preview that Serve has not served.
func (p *Preview) Close() error { return p.listener.Close() }
