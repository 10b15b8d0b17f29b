package disk

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"portico/storage"
)

func TestSignature_depends_on_every_field(t *testing.T) {
	t.Parallel()
	s, err := newSigner([]byte("a secret for the tests alone"))
	if err != nil {
		t.Fatal(err)
	}
	fields := signedFields{"PUT", "1/a.ply", "a/b", "4", "1767323045"}
	// Pinned: a change would void every address that is under way.
	if got, want := s.sign(fields), "Ep4srboAcFtrt3nR3GPODmHBN6Uztqy-UIvYPKM_VBQ"; got != want {
		t.Errorf("sign = %q, want %q", got, want)
	}
	for _, other := range []signedFields{
		{"POST", "1/a.ply", "a/b", "4", "1767323045"},
		{"PUT", "1/b.ply", "a/b", "4", "1767323045"},
		{"PUT", "1/a.ply", "a/c", "4", "1767323045"},
		{"PUT", "1/a.ply", "a/b", "5", "1767323045"},
		{"PUT", "1/a.ply", "a/b", "4", "1767323046"},
		{"PUT", "1/a.ply", "a/b", "41", "767323045"},
	} {
		if s.sign(other) == s.sign(fields) {
			t.Errorf("sign(%+v) equals sign(%+v)", other, fields)
		}
	}
	foreign, err := newSigner([]byte("a secret of somebody else's"))
	if err != nil || foreign.sign(fields) == s.sign(fields) {
		t.Errorf("two secrets sign alike, %v", err)
	}
}

func TestVerify_accepts_one_notation_only(t *testing.T) {
	t.Parallel()
	s, err := newSigner([]byte("a secret for the tests alone"))
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1767323045, 0)
	u := storage.Upload{Key: "1/a.ply", ContentType: "a/b", Size: 4, Expires: now.Add(time.Minute)}
	tests := []struct {
		name   string
		change func(url.Values)
		valid  bool
	}{
		{"as issued", func(url.Values) {}, true},
		{"a leading zero", func(q url.Values) { q.Set("size", "04") }, false},
		{"a plus", func(q url.Values) { q.Set("expires", "+"+q.Get("expires")) }, false},
		{"a newline", func(q url.Values) { q.Set("size", "4\n"+q.Get("expires")); q.Del("expires") }, false},
		{"padding", func(q url.Values) { q.Set("signature", q.Get("signature")+"=") }, false},
		{"a signature before it", func(q url.Values) { q["signature"] = []string{"x", q.Get("signature")} }, false},
	}
	for _, tt := range tests {
		query, err := url.ParseQuery(s.query(signedFieldsOf(u)))
		if err != nil {
			t.Fatal(err)
		}
		tt.change(query)
		r := httptest.NewRequest(http.MethodPut, "/files/1/a.ply?"+query.Encode(), nil)
		r.Header.Set("Content-Type", "a/b")
		r.ContentLength = 4
		if size, err := s.verify(r, "1/a.ply", now); (err == nil) != tt.valid || tt.valid && size != 4 {
			t.Errorf("%s: verify = %d, %v, want valid %v", tt.name, size, err, tt.valid)
		}
	}
}
