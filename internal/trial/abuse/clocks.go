package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"

	"portico/splat/splattest"
)

// purges is longer than two rounds of the purge, which removes old jobs.
const purges = 65 * time.Second

// attackWithClocks runs servers whose clock is an hour behind the clock of Postgres, and
// an hour ahead. Everything must work, and nothing may be removed early.
func attackWithClocks(ctx context.Context, s *site) error {
	for _, ahead := range []time.Duration{time.Hour, -time.Hour} {
		if err := s.publishAt(ctx, ahead); err != nil {
			return fmt.Errorf("with a Postgres that is %v ahead: %w", ahead, err)
		}
	}
	s.report.add("publish runs with clocks an hour apart", 2, "", 0)
	return nil
}

// publishAt publishes a capture on a server whose Postgres is ahead by this much.
func (s *site) publishAt(ctx context.Context, ahead time.Duration) (err error) {
	w, err := s.world.withClockAhead(ctx, ahead)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.database.Close()) }()
	server, err := w.startServer(ctx, 1, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	u, err := w.newUser(ctx)
	if err != nil {
		return err
	}
	if err := signUp(ctx, server); err != nil {
		return err
	}
	c := newClient(server, u.key)
	defer c.close()
	return c.publish(ctx, s.scale.waitForTimeouts)
}

// withClockAhead returns a world with a database of its own, whose clock is ahead by this much: a
// function of the same name hides the system's. The server reads the time of the database by now(),
// which the search path leads to the function.
func (w *world) withClockAhead(ctx context.Context, ahead time.Duration) (*world, error) {
	name := fmt.Sprintf("ahead_%d", int(ahead.Hours())+24)
	return w.withDatabase(ctx, name, "CREATE SCHEMA shifted", "GRANT USAGE ON SCHEMA shifted TO PUBLIC",
		fmt.Sprintf("CREATE FUNCTION shifted.now() RETURNS timestamptz STABLE LANGUAGE sql AS "+
			"$$ SELECT pg_catalog.now() + interval '%d seconds' $$", int(ahead.Seconds())),
		"ALTER DATABASE "+name+" SET search_path = shifted, pg_catalog, public")
}

// signUp creates an account as a browser does, and checks that it is signed in.
func signUp(ctx context.Context, s *server) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	sent := url.Values{"email": {"clock@example.com"}, "name": {"Clock"}, "password": {"a password of the abuse tests"}}
	for _, page := range []struct{ method, path, body string }{
		{http.MethodPost, "/signup", sent.Encode()}, {http.MethodGet, "/account/key", ""},
	} {
		r, err := http.NewRequestWithContext(ctx, page.method, s.url(page.path), strings.NewReader(page.body))
		if err != nil {
			return err
		}
		r.Header.Set("Content-Type", form)
		response, err := browser.Do(r)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil {
			return err
		}
		if at := response.Request.URL.Path; response.StatusCode != http.StatusOK || at != "/account/key" && page.path == "/account/key" {
			return fmt.Errorf("%s %s: led to %s with status %d, want to be signed in", page.method, page.path, at, response.StatusCode)
		}
	}
	return nil
}

// publish uploads a capture and checks that its job completes and, with afterPurge,
// that the job is still there after the purge.
func (c *client) publish(ctx context.Context, afterPurge bool) error {
	var capture bytes.Buffer
	if _, err := (splattest.Capture{Tiles: 2, TileBytes: 100}).WriteTo(&capture); err != nil {
		return err
	}
	address, err := c.promise(ctx, "capture.zip", capture.Len())
	if err != nil {
		return err
	}
	if err := c.put(ctx, address, capture.Bytes()); err != nil {
		return err
	}
	job, _, err := c.confirm(ctx, address)
	if err != nil {
		return err
	}
	if err := c.awaitJob(ctx, job, "completed"); err != nil || !afterPurge {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(purges):
	}
	return c.awaitJob(ctx, job, "completed")
}
