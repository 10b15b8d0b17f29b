// Package door has what the stores have in common at their HTTP addresses: which object an address
// names, who may read it, and how requests from other sites and refused requests are answered.
// The packages below storage use it, and server for its configuration and its log.
package door

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"
)

// Options configures a Door. The stores describe them in options of their own.
type Options struct {
	FilesURL   string // "" for the other base
	Shown      ReadRule
	ByLink     LinkRule
	Open       bool
	KeyVersion KeyVersion
	Secret     []byte // required with Shown
	Now        func() time.Time
	Logger     *slog.Logger
}

// Door is what a store does at its addresses. Each store embeds one.
type Door struct {
	// Files is the base of the addresses of readers. Other is a base whose addresses name objects
	// too: with a folder the base before FilesURL was set, with a bucket the base of uploads.
	Files, Other Address
	// Now is the clock of signatures, and Log logs refused requests.
	Now func() time.Time
	Log *slog.Logger

	shown   ReadRule // nil where everyone may read everything
	byLink  LinkRule // nil where links open nothing
	open    bool     // whether shown protects few objects: all others are as without shown
	version KeyVersion
	key     []byte // signs addresses
}

// New returns the door of a store with this other base.
func New(other Address, o Options) (d Door, err error) {
	d = Door{Files: other, Other: other, Now: o.Now, Log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), shown: o.Shown, byLink: o.ByLink, open: o.Open, version: o.KeyVersion}
	if d.Now == nil {
		d.Now = time.Now
	}
	if o.FilesURL != "" {
		if d.Files, err = ParseAddress(o.FilesURL); err != nil {
			return d, err
		}
	}
	if d.shown != nil {
		d.key, err = DeriveKey(o.Secret, readLabel)
	}
	if d.version == nil {
		d.version = func(context.Context, string) (int64, error) { return 0, nil }
	}
	return d, err
}

// KeyOf implements storage.Store for both bases.
func (d *Door) KeyOf(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	if key, ok := d.Files.key(u); ok {
		return key, true
	}
	return d.Other.key(u)
}

// PublicURL implements storage.Store.
func (d *Door) PublicURL(key string) string { return d.Files.ObjectURL(key) }

// Serve responds to preflights, and to all other requests by respond or with the refusal of its
// error. It passes the folder and the key of the address below a base, as SignedURL takes them. The
// key is "" if the address is not one of an object.
func (d *Door) Serve(base Address, w http.ResponseWriter, r *http.Request, respond func(folder, key string) error) {
	crossOrigin().Allow(w.Header())
	if r.Method == http.MethodOptions {
		respondToPreflight(w, r)
		return
	}
	folder, key, _ := base.split(r.URL)
	if err := respond(folder, key); err != nil {
		fail(d.Log, w, r, err)
	}
}

// RefuseMethod returns the refusal of a method that is not one of these.
func RefuseMethod(w http.ResponseWriter, allowed string) error {
	w.Header().Set("Allow", allowed)
	return errMethod
}
