package s3

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"portico/internal/testkit/s3"
	"portico/storage"
	"portico/storage/storagetest"
)

// The test runs the suite on a real S3 server: versitygw, over a folder.
func TestStore_conforms(t *testing.T) { //nolint:paralleltest // it sets variables that the server's keys come by
	gateway := startGateway(t)
	for name, prefix := range map[string]string{"bucket": "", "prefix": "&prefix=spaces/of%20ours"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storagetest.Run(t, func(t *testing.T) storage.Store {
				t.Helper()
				return openBucket(t, gateway, gateway.Endpoint, prefix)
			})
		})
	}
}

// startGateway starts an S3 server and sets its keys in this process's environment.
func startGateway(t *testing.T) *s3.Server {
	t.Helper()
	for _, variable := range s3.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	return s3.Start(t)
}

// openBucket creates a bucket and opens a store in it, through the endpoint.
func openBucket(t *testing.T, gateway *s3.Server, endpoint, parameters string) *Store {
	t.Helper()
	url := "s3://" + gateway.Bucket(t) + "?endpoint=" + endpoint + parameters
	s, err := Open(t.Context(), Options{URL: url, MaxBackoff: 10 * time.Millisecond})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

// A server with If-None-Match refuses a second upload of an object.
func TestStore_uploads_replace_nothing(t *testing.T) { //nolint:paralleltest // it sets variables, as above
	gateway := startGateway(t)
	for parameters, want := range map[string]int{"": http.StatusPreconditionFailed, "&overwrite=true": http.StatusOK} {
		s := openBucket(t, gateway, gateway.Endpoint, parameters)
		p := storagetest.Presign(t, s, storage.Upload{Key: "1/a.ply", ContentType: "a/b", Size: 3})
		if res := storagetest.Upload(t, p, strings.NewReader("ply")); res.StatusCode != http.StatusOK {
			t.Errorf("first PUT: got %d, want 200", res.StatusCode)
		}
		if res := storagetest.Upload(t, p, strings.NewReader("PLY")); res.StatusCode != want {
			t.Errorf("second PUT with %q: got %d, want %d", parameters, res.StatusCode, want)
		}
	}
}
