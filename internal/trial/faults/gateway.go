package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portico/internal/testkit/program"
)

// The keys and the bucket of every gateway.
const (
	gatewayKey    = "portico"
	gatewaySecret = "a secret for the faults alone"
	gatewayBucket = "spaces"
)

// openGateway starts the S3 server that s3.mod names, over a folder of the world, creates
// a public bucket for the world's files, and returns the server's address.
func (w *world) openGateway(ctx context.Context) (string, error) {
	versitygw, err := program.Tool(ctx, "s3.mod", "versitygw")
	if err != nil {
		return "", errSkipped{"versitygw, the S3 server, cannot be built"}
	}
	address, err := program.FreeAddress(ctx)
	if err != nil {
		return "", err
	}
	folder, sidecar := filepath.Join(w.dir, "gateway"), filepath.Join(w.dir, "sidecar")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Mkdir(sidecar, 0o700)); err != nil {
		return "", err
	}
	err = w.runBeside("gateway", exec.Command(versitygw, "--access", gatewayKey, "--secret", gatewaySecret, //nolint:noctx // killed with the world
		"--port", address, "--quiet", "posix", "--sidecar", sidecar, folder))
	if err != nil {
		return "", err
	}
	endpoint := "http://" + address
	if err := awaitCondition(ctx, startTimeout, "the S3 server responds", func() (bool, error) { return responds(ctx, endpoint), nil }); err != nil {
		return "", err
	}
	return endpoint, w.makeBucket(ctx, endpoint)
}

// runBeside runs another program, with a log of its own, until the world closes. It may
// be killed before.
//
// It has a process group of its own, so that an interrupt of the terminal reaches this command
// alone, which then closes the world in order.
func (w *world) runBeside(name string, cmd *exec.Cmd) error {
	log, err := os.OpenFile(filepath.Join(w.dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr, cmd.Dir = log, log, w.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("start %s: %w", name, err), log.Close())
	}
	w.onClose(func() error {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // and was killed otherwise
		return log.Close()
	})
	return nil
}

// responds reports whether the address responds within a second, with any status.
func responds(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close() // any response will do
	return true
}

// makeBucket creates the bucket as docs/operations.md describes it.
func (w *world) makeBucket(ctx context.Context, endpoint string) error {
	client := s3.New(s3.Options{
		BaseEndpoint: &endpoint, UsePathStyle: true, Region: "us-east-1",
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: gatewayKey, SecretAccessKey: gatewaySecret}, nil
		}),
	})
	w.objects = bucketStore{client, gatewayBucket}
	if _, err := client.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(gatewayBucket)}); err != nil {
		return fmt.Errorf("make the bucket: %w", err)
	}
	policy := `{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::` + gatewayBucket + `/*"}]}`
	_, err := client.PutBucketPolicy(ctx, &s3.PutBucketPolicyInput{Bucket: aws.String(gatewayBucket), Policy: &policy})
	return err
}

// keepFilesAt makes Portico store files in the bucket at the endpoint.
func (w *world) keepFilesAt(endpoint string) {
	w.settings = append(w.settings, "PORTICO_STORAGE_URL=s3://"+gatewayBucket+"?endpoint="+endpoint,
		"AWS_ACCESS_KEY_ID="+gatewayKey, "AWS_SECRET_ACCESS_KEY="+gatewaySecret, "AWS_CONFIG_FILE="+os.DevNull)
}
