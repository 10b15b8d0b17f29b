package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// guesses is how many passwords each address guesses; docs/operations.md promises
	// that the server looks at maxGuesses of them.
	guesses    = 12
	maxGuesses = 10
	// namesPerAddress is how many sign-ins an address may fail in a quarter of an hour.
	namesPerAddress = 100
	// nameSize is nearly as large as a form may be, in bytes.
	nameSize = 60_000
	// signers is the number of concurrent sign-ins.
	signers = 8
)

// credentials are the credentials of the honest owner of an account. Only attackBySigningIn creates
// the account.
var credentials = struct{ email, password string }{"owner@example.com", "a password of the owner alone"}

// attackBySigningIn guesses the password of one account from many addresses. Every
// address is stopped, and the owner still signs in.
func attackBySigningIn(ctx context.Context, s *site) error {
	owner := newClientFrom(s.server, "", "127.0.0.1")
	defer owner.close()
	form := url.Values{"email": {credentials.email}, "name": {"Owner"}, "password": {credentials.password}}
	if err := wantStatus(http.StatusSeeOther)(owner.postForm(ctx, "/signup", form)); err != nil {
		return fmt.Errorf("sign up: %w", err)
	}
	var looked, refused atomic.Int64
	_, err := runInParallel(signers, numbers(s.scale.guessers), func(i int) error {
		c := newClientFrom(s.server, "", fmt.Sprintf("127.0.1.%d", i+1))
		defer c.close()
		for n := range guesses {
			status, err := c.signIn(ctx, credentials.email, fmt.Sprintf("a wrong password %d", n))
			switch {
			case err != nil:
				return err
			case status == http.StatusUnprocessableEntity:
				looked.Add(1)
			case status == http.StatusTooManyRequests:
				refused.Add(1)
			default:
				return fmt.Errorf("a wrong password: status %d", status)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	start := time.Now()
	status, err := owner.signIn(ctx, credentials.email, credentials.password)
	if err != nil {
		return err
	}
	s.report.add("addresses that guess", float64(s.scale.guessers), "", 0)
	s.report.add("guesses that were refused", float64(refused.Load()), "", 0)
	s.report.add("guesses looked at, for each address", float64(looked.Load())/float64(s.scale.guessers), "", maxGuesses)
	s.report.add("owner locked out", float64(oneIf(status != http.StatusSeeOther)), "", none)
	s.report.add("owner's sign-in", milliseconds(time.Since(start)), "ms", milliseconds(maxHonestP99))
	return nil
}

// attackWithLongNames signs in with names of 60 kB, which the server must not keep.
// Each address sends fewer than its limit, so none is refused unread. The passwords
// cannot be passwords, so that they take no time.
func attackWithLongNames(ctx context.Context, s *site) error {
	addresses := (s.scale.names + namesPerAddress - 1) / namesPerAddress
	slowest, err := runInParallel(signers, numbers(addresses), func(i int) error {
		c := newClientFrom(s.server, "", fmt.Sprintf("127.0.2.%d", i+1))
		defer c.close()
		for n := range min(namesPerAddress, s.scale.names-i*namesPerAddress) {
			name := fmt.Sprintf("%d-%d-%s@example.com", i, n, strings.Repeat("x", nameSize))
			if err := wantStatus(http.StatusUnprocessableEntity)(c.signIn(ctx, name, "")); err != nil {
				return fmt.Errorf("sign in with a long name: %w", err)
			}
		}
		return nil
	})
	s.report.add("sign-ins with names of 60 kB", float64(s.scale.names), "", 0)
	s.report.add("slowest 100 of them", slowest.Seconds(), "s", 0)
	return err
}

// wantStatus returns a check of a response's status.
func wantStatus(want int) func(status int, err error) error {
	return func(status int, err error) error {
		if err == nil && status != want {
			err = fmt.Errorf("status %d, want %d", status, want)
		}
		return err
	}
}

// signIn posts the form of the sign-in page and returns the status of its response.
func (c *client) signIn(ctx context.Context, email, password string) (status int, err error) {
	return c.postForm(ctx, "/login", url.Values{"email": {email}, "password": {password}})
}

// postForm posts a form as a page of the server does. It follows no redirect.
func (c *client) postForm(ctx context.Context, path string, fields url.Values) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.server.url(path), strings.NewReader(fields.Encode()))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", form)
	response, err := c.transport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
