package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

type healthCommand struct{}

// Run asks the server at the listen address of this environment whether it is ready, for health
// checks of containers that have no other program.
func (healthCommand) Run(ctx context.Context, in *invocation) error {
	const timeout = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	host, port, err := net.SplitHostPort(in.config.Addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // read only
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", text)
	}
	_, err = in.out.Write(text)
	return err
}
