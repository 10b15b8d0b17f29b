package s3

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"portico/internal/testkit/program"
)

// The keys of every server.
const (
	accessKey = "portico"
	secretKey = "a secret for the tests alone"
)

// Environment returns the variables, NAME=VALUE, that give the AWS SDK the keys of every server and
// hide the configuration of the user.
func Environment() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + accessKey, "AWS_SECRET_ACCESS_KEY=" + secretKey, "AWS_CONFIG_FILE=" + os.DevNull}
}

// Server is a running S3 server.
type Server struct {
	// Endpoint is the address of the server, http://HOST:PORT.
	Endpoint string

	buckets atomic.Int64
}

// Start starts the server that s3.mod names, and returns when it responds. The go command builds
// and caches the server. It stops with the test.
//
// The server stores objects as files in a temporary folder, so its content ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	address, err := program.FreeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path, err := program.Tool(t.Context(), "s3.mod", "versitygw")
	if err != nil {
		t.Fatal(err)
	}
	// The context of the test ends before its cleanup functions run.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), path, "--access", accessKey, "--secret", secretKey,
		"--port", address, "--quiet", "posix", "--sidecar", sidecar(t), t.TempDir())
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start versitygw: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // fails only if the server has ended
		<-ended
		if t.Failed() {
			t.Logf("versitygw:\n%s", log.String())
		}
	})
	s := &Server{Endpoint: "http://" + address}
	for {
		if s.responds(t) {
			return s
		}
		select {
		case err := <-ended:
			// For the cleanup function, which also waits.
			ended <- err
			t.Fatalf("versitygw ended: %v\n%s", err, log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// responds reports whether the server responds, with any status.
func (s *Server) responds(t testing.TB) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Endpoint, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close() // only the connection matters
	return true
}

// sidecar returns a folder in which the server stores metadata. Without it, the server would need a
// file system with extended attributes.
func sidecar(t testing.TB) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "sidecar")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}

// Bucket creates a bucket that everyone may read, as docs/operations.md requires, and returns its
// name.
func (s *Server) Bucket(t testing.TB) string {
	t.Helper()
	bucket := s.PrivateBucket(t)
	policy := fmt.Sprintf(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::%s/*"}]}`, bucket)
	if _, err := s.client().PutBucketPolicy(t.Context(), &s3.PutBucketPolicyInput{Bucket: &bucket, Policy: aws.String(policy)}); err != nil {
		t.Fatalf("let everyone read: %v", err)
	}
	return bucket
}

// PrivateBucket creates a bucket that can be read only with the server's keys, and returns its
// name.
func (s *Server) PrivateBucket(t testing.TB) string {
	t.Helper()
	bucket := fmt.Sprintf("spaces-%d", s.buckets.Add(1))
	if _, err := s.client().CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatalf("create bucket: %v", err)
	}
	s.allowBrowsers(t, bucket)
	return bucket
}

// allowBrowsers lets pages of any origin use the bucket, as docs/operations.md asks for.
func (s *Server) allowBrowsers(t testing.TB, bucket string) {
	t.Helper()
	rule := types.CORSRule{
		AllowedMethods: []string{"GET", "HEAD", "PUT"}, AllowedOrigins: []string{"*"}, AllowedHeaders: []string{"*"},
		ExposeHeaders: []string{"ETag", "Content-Length", "Content-Range"},
	}
	if _, err := s.client().PutBucketCors(t.Context(), &s3.PutBucketCorsInput{
		Bucket: &bucket, CORSConfiguration: &types.CORSConfiguration{CORSRules: []types.CORSRule{rule}},
	}); err != nil {
		t.Fatalf("allow requests of browsers: %v", err)
	}
}

func (s *Server) client() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: &s.Endpoint, UsePathStyle: true, Region: "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}, nil
		}),
	})
}
