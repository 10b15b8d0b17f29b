package disk

import (
	"strings"
	"testing"

	"portico/storage"
	"portico/storage/storagetest"
)

func TestKeyOf_accepts_both_base_addresses(t *testing.T) {
	t.Parallel()
	d := openStore(t, Options{
		Folder:   t.TempDir(),
		BaseURL:  "https://Portico.example/app/",
		FilesURL: "https://cdn.example:8443/public/",
		Secret:   make([]byte, 16),
	})
	tests := []struct {
		address string
		key     string
	}{
		{"https://portico.example/app/files/1/a.ply", "1/a.ply"},
		{"HTTPS://PORTICO.example:443/app/files/1/a.ply?signature=x", "1/a.ply"},
		{"https://cdn.example:8443/public/1/a%20b.ply", "1/a b.ply"},
		{"https://cdn.example:8443/public/1/a b.ply", "1/a b.ply"},
		{"https://cdn.example/public/1/a.ply", ""},
		{"http://portico.example/app/files/1/a.ply", ""},
		{"https://portico.example/files/1/a.ply", ""},
		{"https://portico.example/app/filesystem/1/a.ply", ""},
		{"https://portico.example.evil/app/files/1/a.ply", ""},
		{"//portico.example/app/files/1/a.ply", ""},
		{"/app/files/1/a.ply", ""},
		{"https:portico.example/app/files/1/a.ply", ""},
	}
	for _, tt := range tests {
		if got, ok := d.KeyOf(tt.address); got != tt.key || ok != (tt.key != "") {
			t.Errorf("KeyOf(%q) = %q, %v, want %q", tt.address, got, ok, tt.key)
		}
	}
	if got, want := d.PublicURL("1/a b.ply"), "https://cdn.example:8443/public/1/a%20b.ply"; got != want {
		t.Errorf("PublicURL = %q, want %q", got, want)
	}
	p := storagetest.Presign(t, d, storage.Upload{Key: "1/a b.ply", ContentType: "a/b", Size: 1})
	address, _, _ := strings.Cut(p.URL, "?")
	if want := "https://cdn.example:8443/public/1/a%20b.ply"; address != want {
		t.Errorf("PresignPut = %q, want %q and a query", p.URL, want)
	}
}
