package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"portico/splat/folder"
)

// scriptRunner returns a runner whose program is a shell script. $OUT is its last
// argument.
func scriptRunner(t *testing.T, script string) runner {
	t.Helper()
	r := runner{binary: filepath.Join(t.TempDir(), "program"), folder: t.TempDir()}
	text := "#!/bin/sh\nfor OUT; do :; done\n" + script + "\n"
	if err := os.WriteFile(r.binary, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return r
}

// One row for each way a run can end.
func TestRun_returns_the_outcome(t *testing.T) {
	t.Parallel()
	convert := task{name: "convert", args: []string{"convert"}, out: "made"}
	for _, test := range []struct {
		name, script   string
		fault, failure string // failure is a part of the text
	}{
		{"a result", `mkdir "$OUT"; echo '{"percent":1}'; echo '{"result":{}}'`, "", ""},
		{"a fault", `echo '{"error":"is cut"}'; exit 2`, "is cut", ""},
		{"a fault without a word", `exit 2`, "", "exit status 2"},
		{"a fault with the status of success", `echo '{"error":"is cut"}'`, "is cut", "exit status 0"},
		{"no result", `echo '{"percent":1}'`, "", "exit status 0"},
		{"trouble", `echo no such file >&2; exit 1`, "", "no such file"},
		{"a panic", `echo '{"error":"x"}'; echo panic: oops >&2; exit 2`, "x", "it crashed"},
		{"the end of memory", `echo fatal error: out of memory >&2; exit 2`, "", "it crashed"},
		{"a half result", `echo x >"$OUT"; echo '{"error":"is cut"}'; exit 2`, "is cut", `it left ["made"]`},
		{"a stray file", `mkdir "$OUT"; echo x >"$OUT.part"; echo '{"result":{}}'`, "", `it left ["made.part"]`},
		{"a temporary file", `mkdir "$OUT"; echo x >"$TMPDIR/x"; echo '{"result":{}}'`, "", `it left ["x"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := scriptRunner(t, test.script)
			got, err := r.run(t.Context(), convert, "in")
			if err != nil {
				t.Fatal(err)
			}
			if got.fault != test.fault || !strings.Contains(got.failure, test.failure) || (got.failure == "") != (test.failure == "") {
				t.Errorf("got %+v, want the fault %q and the failure %q", got, test.fault, test.failure)
			}
			if left, err := os.ReadDir(r.folder); err != nil || len(left) != 0 {
				t.Errorf("left: got %v, %v, want nothing", left, err)
			}
		})
	}
}

func TestRound_keeps_the_files_of_slow_runs(t *testing.T) {
	t.Parallel()
	r := scriptRunner(t, `echo '{"error":"x"}'; exit 2`)
	c := capture{"small", folder.Memory{"a.bin": []byte("abc")}, "a.bin", false}
	got, err := r.round(t.Context(), 7, newMutator(1, 7), c, cleanTimes{"poster": time.Hour, "inspect": -time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.failures) != 1 || !strings.HasPrefix(got.failures[0], "inspect: it took ") || got.tasks != 2 || got.faults != 1 {
		t.Errorf("got %+v, want inspect to have taken too long", got)
	}
	if _, err := os.Stat(filepath.Join(got.folder, "a.bin")); err != nil {
		t.Errorf("what failed: %v", err)
	}
	var out strings.Builder
	if !report(&out, []capture{c}, []round{got}) {
		t.Error("report: got no failure")
	}
	for _, want := range []string{"small     1      2     0        1       1", "run 7 of small, kept in " + got.folder, "inspect: it took"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("report: got %s, want %q in it", out.String(), want)
		}
	}
}

func TestMeasure_refuses_an_invalid_capture(t *testing.T) {
	t.Parallel()
	c := capture{"small", folder.Memory{"a.bin": []byte("abc")}, "a.bin", true}
	_, err := scriptRunner(t, `echo '{"error":"is cut"}'; exit 2`).measure(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "poster of the valid capture small: is cut") {
		t.Errorf("got %v, want the program's fault", err)
	}
}

// A collision is two files. Whatever else is there is left over.
func TestRun_accepts_both_files_of_a_collision(t *testing.T) {
	t.Parallel()
	collision := conversion("collision", "made.voxel.json")
	for _, test := range []struct{ name, script, failure string }{
		{"both", `echo x >"$OUT"; echo x >"${OUT%json}bin"; echo '{"result":{}}'`, ""},
		{"a third", `echo x >"$OUT"; echo x >"$OUT.bin"; echo '{"result":{}}'`, `it left ["made.voxel.json.bin"]`},
		{"one of them after a fault", `echo x >"${OUT%json}bin"; echo '{"error":"is cut"}'; exit 2`, `it left ["made.voxel.bin"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := scriptRunner(t, test.script).run(t.Context(), collision, "in")
			if err != nil || got.failure != test.failure {
				t.Errorf("got %q, %v, want %q", got.failure, err, test.failure)
			}
		})
	}
}

// The second capture comes after the changes of the first.
func TestArguments_name_what_a_capture_is_merged_with(t *testing.T) {
	t.Parallel()
	r := runner{valid: "valid.splat"}
	for merge, want := range map[merging]string{
		mergeNothing: "in -s 2 out/made.ply", mergeSame: "in -s 2 in out/made.ply", mergeValid: "in -s 2 valid.splat out/made.ply",
	} {
		made := conversion("merged", "made.ply")
		made.changes, made.merge = []string{"-s", "2"}, merge
		if got := strings.Join(r.arguments(made, "in", "out"), " "); !strings.HasSuffix(got, " "+want) {
			t.Errorf("merge %d: got %q, want %q at the end", merge, got, want)
		}
	}
}

// Every capture meets every writer, however many captures there are.
func TestWriter_takes_turns(t *testing.T) {
	t.Parallel()
	c := capture{gaussians: true}
	for _, captures := range []uint64{39, 40, 41, 42} {
		for first := range captures {
			met := map[string]bool{}
			for number := first; number < 200*captures; number += captures {
				met[writer(c, number)[0].name] = true
			}
			if len(met) != len(writers(c)) {
				t.Errorf("capture %d of %d: got %v, want all writers", first, captures, met)
			}
		}
	}
	if got := writer(capture{}, 0); got != nil {
		t.Errorf("a mesh: got %v, want no writer", got)
	}
}
