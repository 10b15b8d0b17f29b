package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"
)

// shared is the world of all tests, opened once. TestMain has no other way to pass it to
// the tests.
var shared *world

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	flag.Parse() // for testing.Short
	if testing.Short() {
		return m.Run()
	}
	w, err := openWorld(context.Background(), "../../..")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = w
	code := m.Run()
	if err := w.close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestAbuse runs all scenarios in their small form, side by side.
func TestAbuse(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("attacks take too long for a short run")
	}
	for _, s := range scenarios() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := &report{scenario: s.name}
			err := shared.run(t.Context(), s, smallScale(), r)
			r.print(t.Output()) // shown with -v, and when it fails
			if err != nil {
				t.Fatal(err)
			}
			if err := r.err(); err != nil {
				t.Error(err)
			}
		})
	}
}
