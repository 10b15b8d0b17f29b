package oauth

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestLifetime_follows_Cache_Control_up_to_a_maximum(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"": defaultLifetime, "public": defaultLifetime, "max-age=60": time.Minute, "Public, Max-Age=\"60\"": time.Minute,
		"max-age=99999999": maxLifetime, "max-age=0": 0, "no-store": 0, "max-age=60, no-cache": 0, "max-age=x": 0,
	} {
		if got := lifetime(http.Header{"Cache-Control": {header}}); got != want {
			t.Errorf("%q: got %v, want %v", header, got, want)
		}
	}
}

func TestDocumentCache_keeps_a_limited_number_of_documents(t *testing.T) {
	t.Parallel()
	var cache documentCache
	now := time.Now()
	for i := range maxDocuments + 10 {
		client, err := readDocument("https://a.example/x", []byte(`{"client_id":"https://a.example/x","client_name":"a","redirect_uris":["https://a.example/"]}`))
		check(t, err)
		client.ID = fmt.Sprint(i)
		cache.add(client, now, now.Add(time.Minute))
	}
	if got := len(cache.byAddress); got > maxDocuments {
		t.Errorf("documents: got %d, want at most %d", got, maxDocuments)
	}
	last := fmt.Sprint(maxDocuments + 9)
	client := *cache.client(last, now)
	cache.add(&client, now, now.Add(time.Minute))
	if got := len(cache.byAddress); got != maxDocuments {
		t.Errorf("documents after the renewal of one: got %d, want all %d", got, maxDocuments)
	}
	client.ID = "no-store"
	cache.add(&client, now, now)
	if got := len(cache.byAddress); got != maxDocuments {
		t.Errorf("documents after one that may not be stored: got %d, want all %d", got, maxDocuments)
	}
	if cache.client("no-store", now) != nil {
		t.Error("document that may not be stored: want none")
	}
	if cache.client(last, now) == nil || cache.client(last, now.Add(time.Minute)) != nil {
		t.Error("last document: want it for a minute and no longer")
	}
}
