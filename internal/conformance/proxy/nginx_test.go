package proxy_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// nginxConf holds the file of docs/deploy where distributions include conf.d/*.conf.
const nginxConf = `daemon off;
pid %[1]s/nginx.pid;
error_log stderr;
events {}
http {
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	include %[1]s/portico.conf;
}
`

func TestNginx_forwards_what_the_documents_promise(t *testing.T) {
	t.Parallel()
	nginx := find(t, "nginx")
	tlsAddress, _ := freePort(t)
	plainAddress, _ := freePort(t)
	client := dialer(map[string]string{"443": tlsAddress, "80": plainAddress})
	p, server := newProxied(t, "https://portico.example", client, "--files-url=https://portico-files.example")
	folder := t.TempDir()
	check(t, os.Chmod(folder, 0o755)) // workers of nginx run as another user
	makeCertificate(t, folder, "portico.example")
	makeCertificate(t, folder, "portico-files.example")
	configure(t, "nginx.conf", filepath.Join(folder, "portico.conf"),
		"/etc/ssl/", folder+"/", "/var/log/nginx/", folder+"/", "listen 443 ", "listen "+tlsAddress+" ", "listen 80;", "listen "+plainAddress+";",
		"server 127.0.0.1:8081 ", "server "+server+" ", "server 127.0.0.1:8082 ", "server "+server+" ")
	conf := filepath.Join(folder, "nginx.conf")
	check(t, os.WriteFile(conf, fmt.Appendf(nil, nginxConf, folder), 0o600))
	p.start(t, syscall.SIGTERM, nginx, "-e", "stderr", "-p", folder, "-c", conf)
	p.check(t)
	t.Run("files of all sizes", p.checkFiles)
	t.Run("redirects to https", func(t *testing.T) {
		response, _ := p.send(t, http.MethodGet, "http://portico.example/console?x", nil, http.NoBody, 0)
		if response.StatusCode != http.StatusMovedPermanently || response.Header.Get("Location") != "https://portico.example/console?x" {
			t.Errorf("got %d to %s", response.StatusCode, response.Header.Get("Location"))
		}
	})
	t.Run("logs no signatures", func(t *testing.T) {
		signature := strings.Repeat("s3cret", 10)
		for _, path := range []string{"/1/a.bin?signature=" + signature, "/1/~" + signature + "/a.bin"} {
			p.send(t, http.MethodGet, "https://portico-files.example"+path, nil, http.NoBody, 0)
		}
		for _, name := range []string{"portico.log", "portico-files.log"} {
			log, err := os.ReadFile(filepath.Join(folder, name))
			check(t, err)
			if len(log) == 0 || strings.Contains(string(log), "s3cret") || strings.Contains(string(log), "/uploads/") {
				t.Errorf("%s: got %s, want lines without signatures and addresses of uploads", name, log)
			}
		}
	})
}

// maxFile is the default of PORTICO_MAX_FILE_SIZE.
const maxFile = 20_000_000_000

// checkFiles announces the largest file in each way. The server, and not nginx, refuses it. Caddy has no limit.
func (p proxied) checkFiles(t *testing.T) {
	upload := p.create(t, true, 1000)
	for _, test := range []struct {
		method, address string
		header          http.Header
		status          int
	}{
		{http.MethodPatch, upload.URL, tusHeader(), 413},
		{http.MethodPut, p.world.FilesURL() + "/1/x.bin?signature=x", http.Header{"Content-Type": {"a/b"}}, 403},
	} {
		body, end := io.Pipe()
		response, content := p.send(t, test.method, test.address, test.header, body, maxFile)
		_ = end.Close() // nothing was written
		if response.StatusCode != test.status || !isJSON(response) {
			t.Errorf("%s of 20 GB: got %d %.200s, want %d of the server", test.method, response.StatusCode, content, test.status)
		}
	}
}

// makeCertificate writes a certificate that is signed by itself.
func makeCertificate(t *testing.T, folder, name string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	certificate := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour)}
	signed, err := x509.CreateCertificate(rand.Reader, certificate, certificate, key.Public(), key)
	check(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	check(t, err)
	for extension, block := range map[string]*pem.Block{".crt": {Type: "CERTIFICATE", Bytes: signed}, ".key": {Type: "PRIVATE KEY", Bytes: encoded}} {
		check(t, os.WriteFile(filepath.Join(folder, name+extension), pem.EncodeToMemory(block), 0o600))
	}
}
