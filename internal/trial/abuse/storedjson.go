package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// maxResponse is the largest response that docs/graphql.md promises, in MiB, with the
	// text around it.
	maxResponse = 17
	// growth is how much an entity grows with each change, in bytes.
	growth = 48 << 10
	// maxEntity is the largest entity, in MiB.
	maxEntity = 1
	// writers is the number of concurrent writes, and queriers the number of concurrent
	// queries.
	writers, queriers = 4, 8
	// aliases is the number of names that a query gives to the same entities.
	aliases = 30
)

// attackWithJSON fills an account with entities and with fields of spaces, makes one
// entity grow, and queries the entities under many aliases.
func attackWithJSON(ctx context.Context, s *site) error {
	c, err := s.attacker(ctx, s.scale.quota)
	if err != nil {
		return err
	}
	space, err := c.createSpace(ctx, "Private")
	if err != nil {
		return err
	}
	if err := s.fill(ctx, c, space); err != nil {
		return err
	}
	if err := s.multiply(ctx, c, space); err != nil {
		return err
	}
	return s.grow(ctx)
}

// fill writes entities and fields of spaces until the account's storage is full.
func (s *site) fill(ctx context.Context, c *client, space string) error {
	text := strings.Repeat("x", largePadding)
	writes := numbers(int(2*s.scale.quota/largePadding) + 2)
	var stored, refused atomic.Int64
	_, err := runInParallel(writers, writes, func(i int) error {
		err := c.store(ctx, space, i, text)
		switch {
		case refusedWith(err, http.StatusInsufficientStorage):
			refused.Add(1)
			return nil
		case err == nil:
			stored.Add(largePadding)
		}
		return err
	})
	s.report.add("MiB of JSON sent", mebibytes(int64(len(writes))*largePadding), "MiB", 0)
	s.report.add("MiB of JSON stored", mebibytes(stored.Load()), "MiB", mebibytes(s.scale.quota))
	if err == nil && refused.Load() == 0 {
		err = errors.New("an account stored twice its storage in JSON")
	}
	return err
}

// store stores a text, mostly in a new entity and sometimes in a new space.
func (c *client) store(ctx context.Context, space string, number int, text string) error {
	if number%4 > 0 {
		return c.putNumbered(ctx, space, number, text)
	}
	other, err := c.createSpace(ctx, "Private")
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPut, "/v1/spaces/"+other, map[string]any{"text": text}, &struct{}{})
}

// multiply queries pages of the entities, under many aliases or over and over.
func (s *site) multiply(ctx context.Context, c *client, space string) error {
	nodes := "nodes{data}"
	queries := []string{
		"entities(first:200){" + repeatNumbered(aliases, "n%d:nodes{data} ") + "}",
		repeatNumbered(aliases, "e%d:entities(first:200){nodes{data}} "),
		repeatNumbered(3, "e%d:entities(first:50){nodes{data}} "),
		"entities(first:200){" + nodes + " a:" + nodes + " b:" + nodes + "}",
	}
	var largest, refused atomic.Int64
	slowest, err := runInParallel(queriers, numbers(s.scale.queries), func(i int) error {
		query := fmt.Sprintf("{space(id:%q){%s}}", space, queries[i%len(queries)])
		body, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			return err
		}
		r, err := c.request(ctx, http.MethodPost, "/graphql", body)
		if err != nil {
			return err
		}
		_, response, err := c.do(r)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(response), `{"errors"`) {
			refused.Add(1)
		}
		for size := int64(len(response)); ; {
			before := largest.Load()
			if size <= before || largest.CompareAndSwap(before, size) {
				return nil
			}
		}
	})
	s.report.add("queries with many aliases", float64(s.scale.queries), "", 0)
	s.report.add("queries that were refused", float64(refused.Load()), "", 0)
	s.report.add("largest response", mebibytes(largest.Load()), "MiB", maxResponse)
	s.report.add("slowest response", milliseconds(slowest), "ms", milliseconds(maxBusy))
	return err
}

// grow makes one entity grow by many changes until the server refuses one.
func (s *site) grow(ctx context.Context) error {
	c, space, err := s.attackerWithSpace(ctx, "Private")
	if err != nil {
		return err
	}
	if err := c.putEntity(ctx, space, 0, ""); err != nil {
		return err
	}
	text, size := strings.Repeat("x", growth), 0
	var slowest time.Duration
	for i := 0; err == nil && size <= 4*maxEntity<<20; i++ {
		start := time.Now()
		change := map[string]any{"entity_data": map[string]any{fmt.Sprintf("field%d", i): text}}
		if err = c.call(ctx, http.MethodPut, entity(space), change, &struct{}{}); err == nil {
			size += growth
		}
		slowest = max(slowest, time.Since(start))
	}
	if !refusedWith(err, http.StatusRequestEntityTooLarge) {
		return fmt.Errorf("grow an entity of %d bytes: got %w, want status %d", size, err, http.StatusRequestEntityTooLarge)
	}
	s.report.add("largest entity", mebibytes(int64(size)), "MiB", maxEntity)
	s.report.add("slowest change of it", milliseconds(slowest), "ms", milliseconds(maxHonestP99))
	return nil
}

// mebibytes returns a number of bytes as a figure.
func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }
