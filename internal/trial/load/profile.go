package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"portico/internal/testkit/program"
)

// profilingSource is a file of package main that opens net/http/pprof. It is laid over cmd/portico
// for a profile and is not part of the program otherwise.
//
//go:embed profiling.go.txt
var profilingSource []byte

// profilePortico writes a CPU profile and the heap of each operation, and the allocations of
// all, for each of Portico's two doors; read them with go tool pprof.
func profilePortico(ctx context.Context, w *world, o options) error {
	if err := os.MkdirAll(o.profile, 0o755); err != nil {
		return err
	}
	profiled, err := buildProfiled(ctx, w, o.source)
	if err != nil {
		return err
	}
	// A process for each door: allocations are counted since the start of the process.
	for name, d := range map[string]door{nameREST: restDoor(), nameGraphQL: graphQLDoor()} {
		if !o.wants(name) {
			continue
		}
		pprof, err := program.FreeAddress(ctx)
		if err != nil {
			return err
		}
		c, err := startPortico(ctx, w, profiled, "BENCH_PPROF="+pprof)
		if err == nil {
			s := &server{world: w, title: name, door: d, child: c}
			err = s.profile(ctx, "http://"+pprof+"/debug/pprof/", o)
		}
		if c != nil {
			c.stop()
		}
		if err != nil {
			return fmt.Errorf("profile %s: %w", name, err)
		}
	}
	if o.wants(nameSockets) {
		if err := profileSockets(ctx, w, profiled, o.profile); err != nil {
			return fmt.Errorf("profile sockets: %w", err)
		}
	}
	if o.wants(nameFiles) {
		if err := profileRanges(ctx, w, profiled, o.profile); err != nil {
			return fmt.Errorf("profile ranges: %w", err)
		}
	}
	return nil
}

// profiledSeconds is how long ranges are read for a profile.
const profiledSeconds = 30

// profileRanges writes a CPU profile of a process from which ranges of a file are read.
func profileRanges(ctx context.Context, w *world, profiled, folder string) error {
	pprof, err := program.FreeAddress(ctx)
	if err != nil {
		return err
	}
	f, err := newFileWorld(w, options{}.capture())
	if err != nil {
		return err
	}
	defer f.stop()
	if err := f.start(ctx, profiled, "BENCH_PPROF="+pprof); err != nil {
		return err
	}
	fetched := make(chan error, 1)
	go func() {
		address := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", pprof, profiledSeconds)
		fetched <- fetch(ctx, address, filepath.Join(folder, nameFiles+"-ranges.pprof"))
	}()
	for range profiledSeconds + 1 { // a second each
		if _, _, err := f.readRanges(ctx); err != nil {
			return err
		}
	}
	return <-fetched
}

// profileSockets writes the heap and the goroutines of a process with idle sockets. The heap is
// text, which includes the memory of stacks.
func profileSockets(ctx context.Context, w *world, profiled, folder string) error {
	count := idleSockets()[0]
	keys, err := w.addSubscribers(ctx, count)
	if err != nil {
		return err
	}
	pprof, err := program.FreeAddress(ctx)
	if err != nil {
		return err
	}
	c, err := startPortico(ctx, w, profiled, "BENCH_PPROF="+pprof)
	if c != nil {
		defer c.stop()
	}
	if err != nil {
		return err
	}
	s := &server{world: w, title: nameSockets, child: c}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if err := s.openIdle(ctx, keys, count); err != nil {
		return err
	}
	for _, profile := range []string{"heap?gc=1&debug=1", "heap?gc=1", "goroutine?debug=1"} {
		name := nameSockets + "-" + strings.NewReplacer("?", "-", "&", "-", "=", "").Replace(profile)
		if err := fetch(ctx, "http://"+pprof+"/debug/pprof/"+profile, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// buildProfiled builds the program with the file that serves profiles.
func buildProfiled(ctx context.Context, w *world, source string) (string, error) {
	file, overlay := filepath.Join(w.cluster.Folder, "profiling.go"), filepath.Join(w.cluster.Folder, "overlay.json")
	source, err := filepath.Abs(source)
	if err != nil {
		return "", err
	}
	replace, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(source, "cmd", "portico", "profiling.go"): file},
	})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(file, profilingSource, 0o600); err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		return "", err
	}
	return program.Build(ctx, program.BuildOptions{Module: source, Overlay: overlay})
}

// profile runs each operation for the time of a round and fetches its profile.
func (s *server) profile(ctx context.Context, base string, o options) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	for _, op := range operations() {
		if _, err := s.round(ctx, op, o.connections[0], o.duration/4); err != nil { // warms up
			return err
		}
		if op == opDelete { // the warm round has deleted all
			if _, err := s.round(ctx, opCreate, o.connections[0], 2*o.duration); err != nil {
				return err
			}
		}
		if err := s.profileRound(ctx, base, op, o); err != nil {
			return err
		}
	}
	return fetch(ctx, base+"allocs", filepath.Join(o.profile, s.title+"-allocations.pprof"))
}

// profileRound runs an operation and fetches the CPU profile of the round, and the heap in the
// middle of it, as of the last collection.
func (s *server) profileRound(ctx context.Context, base string, op operation, o options) error {
	prefix := filepath.Join(o.profile, s.title+"-"+strings.ReplaceAll(string(op), " ", "-"))
	fetched := make(chan error, 2)
	// The profile must start before the requests and end after them: it runs beside the
	// round.
	go func() {
		seconds := max(1, int(o.duration/time.Second))
		fetched <- fetch(ctx, fmt.Sprintf("%sprofile?seconds=%d", base, seconds), prefix+".pprof")
	}()
	go func() {
		time.Sleep(o.duration / 2) // of the measuring side only
		fetched <- fetch(ctx, base+"heap", prefix+"-heap.pprof")
	}()
	_, err := s.round(ctx, op, o.connections[0], o.duration)
	return errors.Join(err, <-fetched, <-fetched)
}

// fetch stores the response of an address in a file.
func fetch(ctx context.Context, address, file string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it was read
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", address, response.Status, body)
	}
	return os.WriteFile(file, body, 0o600)
}
