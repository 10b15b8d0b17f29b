// Package childtest plays the part of a child in tests: the test binary, started with
// a script's name, keeps to the protocol or breaks it in one way.
package childtest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"portico/worker/child"
	"portico/worker/sandbox"
)

// scriptedChild is the first argument that makes the test binary act as a child, by
// the script that the second one names.
const scriptedChild = "scripted-child"

// Program returns the program of a Runner that plays the script.
func Program(script string) []string { return []string{os.Args[0], scriptedChild, script} }

// Run plays the part and exits if this process was started for it. Call it first in
// TestMain.
func Run() {
	if len(os.Args) > 2 && os.Args[1] == scriptedChild {
		os.Exit(run(os.Args[2:]))
	}
}

// actor is a child that follows a script.
type actor struct {
	script  string
	request child.Request
}

// run plays the part and returns the exit status.
func run(args []string) int {
	a, err := newActor(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if a.request.Task == child.TaskConfinement {
		if a.script == "cannot be confined" {
			fmt.Fprintln(os.Stderr, "no such command")
			return 1
		}
		say(`{"result":{"missing":{"network":"a script","user":"a script","files":"a script","calls":"a script"}}}`)
		return 0
	}
	name, on, found := strings.Cut(a.script, " on ")
	if found && on != string(a.request.Task) && on != filepath.Ext(a.request.Out) {
		name = "good"
	}
	return a.play(name)
}

// newActor reads the script's name, the subcommand and the request.
func newActor(args []string) (actor, error) {
	a := actor{script: args[0]}
	if len(args) != 3 || args[1] != child.Command {
		return a, fmt.Errorf("called with %q, want a script, %q and a request", args, child.Command)
	}
	if err := json.Unmarshal([]byte(args[2]), &a.request); err != nil {
		return a, fmt.Errorf("request %s: %w", args[2], err)
	}
	if r := a.request; r.Task != child.TaskConfinement && (r.In == "" || r.Memory == 0 || r.CPU == 0 || r.FileSize == 0) {
		return a, fmt.Errorf("request %s: want a file to read and all limits", args[2])
	}
	return a, nil
}

// say prints one line of the protocol.
func say(line string) { fmt.Println(line) }

func fault(text string) int {
	line, _ := json.Marshal(map[string]string{"error": text})
	say(string(line))
	return child.ExitInput
}

// play acts by a script. "slow on .sog" is slow where it is to write a .sog, and
// good otherwise.
func (a actor) play(name string) int { //nolint:gocyclo,funlen // a list of scripts
	switch name {
	case "good":
		return a.good()
	case "fault":
		return fault(`Entry "data.bin": is cut short`)
	case "strange fault":
		return fault("odd\x00\n" + strings.Repeat("x", 2000))
	case "exits 2 silently":
		return child.ExitInput
	case "no result":
		say(`{"percent":100,"message":"done"}`)
	case "two results":
		say(`{"result":{}}`)
		say(`{"result":{}}`)
		hang()
	case "garbage":
		say("Hello\x00")
		hang()
	case "nothing in a line":
		say("{}")
		hang()
	case "huge line":
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "panic":
		panic("a bug")
	case "trouble":
		fmt.Fprintln(os.Stderr, "no such flag")
		return 1
	case "disk full":
		fmt.Fprintln(os.Stderr, "write 0_0/means_l.webp: no space left on device")
		return 1
	case "too large a file":
		fmt.Fprintln(os.Stderr, "write 0_0/means_l.webp: file too large")
		return 1
	case "too much time":
		fmt.Fprintln(os.Stderr, sandbox.ErrCPU)
		return 1
	case "out of memory":
		return eat()
	case "out of memory while collecting": // one in a hundred of the above
		fmt.Fprintln(os.Stderr, "SIGSEGV: segmentation violation\nPC=0x439dfd m=4 sigcode=1 addr=0x0")
		return 2
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		hang()
	case "killed at first":
		return a.atFirst(func() {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			hang()
		})
	case "silent":
		hang()
	case "slow":
		signal.Ignore(syscall.SIGTERM)
		say(fmt.Sprintf(`{"percent":50,"message":"process %d"}`, os.Getpid()))
		for { // it gives signs of life, so that only its parent ends it
			<-time.After(50 * time.Millisecond)
			say(fmt.Sprintf(`{"percent":40,"message":"process %d is still here"}`, os.Getpid()))
		}
	case "environment":
		found := os.Environ()
		slices.Sort(found)
		return fault(strings.Join(found, " "))
	}
	return 0
}

// hang waits to be killed.
func hang() { <-make(chan struct{}) }

// eat takes more memory than it may have.
func eat() int {
	var now syscall.Rlimit
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 1
	}
	var pages uint64
	_, _ = fmt.Sscan(string(statm), &pages)
	now.Cur = pages*uint64(os.Getpagesize()) + 64<<20
	now.Max = now.Cur
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &now); err != nil {
		return 1
	}
	var kept [][]byte
	for {
		kept = append(kept, make([]byte, 1<<20))
		kept[len(kept)-1][0] = 1
	}
}

// atFirst does something in the first of several children for one file, and the
// rest as it should be. The mark lies beside the folders of the attempts.
func (a actor) atFirst(do func()) int {
	mark := filepath.Join(os.Getenv("TMPDIR"), "..", "..", "mark-"+filepath.Base(a.request.In))
	file, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the test names the folder
	if err == nil {
		_ = file.Close()
		do()
	}
	return a.good()
}

// good does what the request says: a result made of its input.
func (a actor) good() int {
	body, err := os.ReadFile(a.request.In)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	facts := map[string]any{"format": "other"}
	switch filepath.Ext(a.request.In) {
	case ".ply", ".spz", ".sog":
		facts = map[string]any{"format": filepath.Ext(a.request.In)[1:], "splats": strings.Count(string(body), "s")}
	case ".jpg":
		facts = map[string]any{"format": "jpeg", "width": 640, "height": 480}
	}
	if a.request.Task == child.TaskInspect {
		return result(facts)
	}
	say(`{"percent":0,"message":"reading"}`)
	out := filepath.Join(a.request.Folder, a.request.Out)
	files := map[string]string{filepath.Base(out): "made of " + string(body)}
	if filepath.Base(out) == "lod-meta.json" {
		files["0_0/meta.json"], files["0_0/means_l.webp"] = "{}", "image"
		facts["format"] = "streamed-sog"
	}
	for name, content := range files {
		say(`{"percent":50,"message":"writing ` + name + `"}`)
		at := filepath.Join(filepath.Dir(out), name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return 1
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			return 1
		}
	}
	return result(facts)
}

func result(facts map[string]any) int {
	line, _ := json.Marshal(map[string]any{"result": map[string]any{"facts": facts}})
	say(string(line))
	return 0
}
