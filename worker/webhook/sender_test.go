package webhook

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/model"
)

// loopback is a list of allowed networks with which tests reach their own servers.
func loopback() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

// The example of the Standard Webhooks specification.
func TestSignatures_are_those_of_the_specification(t *testing.T) {
	t.Parallel()
	m := Message{
		ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", Body: `{"test": 2432232314}`,
		Secrets: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA"},
	}
	got, err := signatures(m, time.Unix(1614265330, 0))
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(got, " ")
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; first != want {
		t.Errorf("signature: got %s, want %s", first, want)
	}
	if !strings.HasPrefix(second, "v1,") || second == first {
		t.Errorf("signature of the former secret: got %q, want another one", second)
	}
	if _, err := signatures(Message{Secrets: []string{"whsec_?"}}, time.Now()); err == nil {
		t.Error("secret that is not base64: got no error, want one")
	}
}

func TestSend_returns_the_status_and_follows_no_redirect(t *testing.T) {
	t.Parallel()
	var reached bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if got := r.Header.Get("Webhook-Id") + " " + string(body); got != "msg_1 {}" || r.Header.Get("Webhook-Signature") == "" {
			t.Errorf("request: got %q, want msg_1 {} with a signature", got)
		}
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/gone":
			w.WriteHeader(http.StatusGone)
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}
	}))
	t.Cleanup(receiver.Close)
	sender := NewSender(loopback())
	for _, test := range []struct {
		path   string
		status int
		want   model.WebhookFailure
	}{
		{"/", 200, model.WebhookFailure{}},
		{"/endless", 200, model.WebhookFailure{}},
		{"/gone", 410, model.WebhookFailure{Reason: model.WebhookFailureStatus, Status: 410}},
		{"/redirect", 307, model.WebhookFailure{Reason: model.WebhookFailureRedirect, Status: 307}},
	} {
		got := sender.Send(t.Context(), Message{ID: "msg_1", URL: receiver.URL + test.path, Body: "{}", Secrets: []string{"whsec_AAAA"}})
		if got.Status != test.status || failed(got) != test.want || got.Gone() != (test.status == 410) {
			t.Errorf("%s: got %d and %+v, want %d and %+v", test.path, got.Status, failed(got), test.status, test.want)
		}
	}
	if reached {
		t.Error("redirect: got it followed, want it refused")
	}
}

// failed returns the failure of a result; the zero value for none.
func failed(result Result) model.WebhookFailure {
	if result.Failure == nil {
		return model.WebhookFailure{}
	}
	return *result.Failure
}

func TestSend_names_how_long_it_waited(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices the end of the connection only then
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	want := model.WebhookFailure{Reason: model.WebhookFailureTimeout, Seconds: 15}
	if got := failed(NewSender(loopback()).Send(ctx, Message{ID: "msg_1", URL: silent.URL, Body: "{}"})); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSend_names_the_fault_of_the_receivers_TLS(t *testing.T) {
	t.Parallel()
	const badCertificate, noTLS = model.WebhookFailureCertificate, model.WebhookFailureTLS
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("request: got one, want none")
	})
	plain, unknown, old := httptest.NewServer(handler), httptest.NewTLSServer(handler), httptest.NewUnstartedServer(handler)
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	for _, test := range []struct {
		name, address string
		want          model.WebhookFailureReason
	}{
		{"certificate of an unknown authority", unknown.Listener.Addr().String(), badCertificate},
		{"plain HTTP", plain.Listener.Addr().String(), noTLS},
		{"another protocol", newMailServer(t), noTLS},
		{"TLS 1.1", old.Listener.Addr().String(), noTLS},
	} {
		got := NewSender(loopback()).Send(t.Context(), Message{ID: "msg_1", URL: "https://" + test.address, Body: "{}"})
		if got.Status != 0 || failed(got) != (model.WebhookFailure{Reason: test.want}) {
			t.Errorf("%s: got %d and %+v, want %q", test.name, got.Status, failed(got), test.want)
		}
	}
	for _, server := range []*httptest.Server{plain, unknown, old} {
		server.Close()
	}
}

// newMailServer starts a server that greets as mail servers do, and returns its address.
func newMailServer(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "220 mail.example.com ESMTP\r\n")
			_, _ = io.Copy(io.Discard, conn) // until the client closes it
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// A name is looked up before the addresses are checked, so localhost stands for every name whose
// address is not public.
func TestSend_reaches_no_network_that_is_not_public(t *testing.T) {
	t.Parallel()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("request: got one, want none")
	}))
	t.Cleanup(receiver.Close)
	address, err := url.Parse(receiver.URL)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := []netip.Prefix{netip.MustParsePrefix("192.168.7.0/24")}
	for _, host := range []string{
		"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "2130706433", "0", "0.0.0.0",
		"169.254.169.254", "10.0.0.1", "[fd00:ec2::254]", "[fe80::1%25lo]",
	} {
		for _, allowed := range [][]netip.Prefix{nil, elsewhere} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			got := NewSender(allowed).Send(ctx, Message{ID: "msg_1", URL: "http://" + host + ":" + address.Port(), Body: "{}"})
			cancel()
			if got.Status != 0 || failed(got) != (model.WebhookFailure{Reason: model.WebhookFailureUnreachable}) {
				t.Errorf("%s: got %d and %+v, want it refused", host, got.Status, failed(got))
			}
		}
	}
}
