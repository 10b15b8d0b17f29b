package server

import (
	"cmp"
	"net"
	"net/url"

	"portico/server/settings"
)

// filesPath is the path of files below their base address.
const filesPath = "/files"

// BaseURL returns the public address of the application, in the form of settings.NormaliseURL.
//
// It is right only after Listen, which finds the port of port 0.
func (p *Program) BaseURL() string {
	if p.Config.BaseURL != "" {
		return settings.Normalised(p.Config.BaseURL)
	}
	address := p.listenAddress()
	host, port, err := net.SplitHostPort(address)
	named, _, _ := net.SplitHostPort(p.Config.Addr) // Validate has checked it
	if ip := net.ParseIP(host); err == nil && (named == "localhost" || host == "" || (ip != nil && ip.IsUnspecified())) {
		// Clients cannot connect to the unspecified address, which means all addresses of
		// the machine. localhost stays a name, because passkeys require a domain name
		// (WebAuthn, "RP ID").
		address = net.JoinHostPort("localhost", port)
	}
	return settings.Normalised("http://" + address)
}

// listenAddress returns the address that Listen has opened. A program that does not listen, or not
// yet, has the configured address.
func (p *Program) listenAddress() string { return cmp.Or(p.address, p.Config.Addr) }

// FilesURL returns the base of the addresses of files. Its origin differs from the origin of
// BaseURL, so that no upload shares an origin with the sign-in pages. It is "" if the server has
// no second origin. Files are then below BaseURL.
//
// The cases:
//
//	PORTICO_FILES_URL is set          its value
//	http at a loopback address        the other name of it, such as localhost for 127.0.0.1
//	https, or another address         "": only the operator knows a second name
//	another program has the other     "": browsers could reach that program
func (p *Program) FilesURL() string {
	if p.Config.FilesURL != "" {
		return settings.Normalised(p.Config.FilesURL)
	}
	base, err := url.Parse(p.BaseURL())
	if err != nil || base.Scheme != "http" || p.otherLoopbackTaken {
		return ""
	}
	// Browsers treat localhost and 127.0.0.1 as different sites, and every system resolves
	// both.
	name, port := splitHost(base.Host)
	other := map[string]string{"localhost": "127.0.0.1", "127.0.0.1": "localhost", "::1": "localhost"}[name]
	if other == "" {
		return ""
	}
	if port != "" {
		other = net.JoinHostPort(other, port)
	}
	return "http://" + other + filesPath
}

// servesFiles reports whether this program handles requests for files. It does so if they are in
// the data folder, or in a private bucket to which it redirects.
func (p *Program) servesFiles() bool {
	return p.Config.StorageURL == "" || p.Config.FilesAccess == settings.FilesProtected
}

// bucketFilesURL returns the base of the public addresses of files in a bucket, or "" for the
// addresses of the bucket itself.
func (p *Program) bucketFilesURL() string {
	if !p.servesFiles() && p.Config.FilesURL == "" {
		return ""
	}
	if files := p.FilesURL(); files != "" {
		return files
	}
	return p.BaseURL() + filesPath
}
