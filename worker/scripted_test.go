package worker

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

	"portico/worker/sandbox"
)

// scriptedChild is the first argument that makes the test binary act as a child
// that inspects and converts, by the script that the second one names.
const scriptedChild = "scripted-child"

// script returns the program that plays the part of a child.
func script(name string) []string { return []string{os.Args[0], scriptedChild, name} }

// with has a worker use the script.
func with(name string) func(*Options) {
	return func(o *Options) { o.Program = script(name) }
}

// call is how a child was called: the protocol that the real one keeps to.
type call struct{ script, subcommand, in, out string }

// readCall checks that a child is called as it should be.
func readCall(args []string) (call, error) {
	c := call{script: args[0], subcommand: args[1]}
	flags := args[2:]
	if i := slices.Index(flags, "--whole"); i >= 0 {
		flags = slices.Delete(slices.Clone(flags), i, i+1)
	}
	wanted := []string{"--json", "--memory", "", "--confine", "", "--cpu", "", "--file-size", ""}
	if c.subcommand == "convert" {
		wanted = append(wanted, "--workers", "")
	}
	for i, flag := range wanted {
		if len(flags) <= i || flag != "" && flags[i] != flag {
			return c, fmt.Errorf("called with %q, want %q", flags, wanted)
		}
	}
	files := flags[len(wanted):]
	c.in = files[0]
	if c.subcommand == "convert" {
		c.out = files[1]
	}
	return c, nil
}

// beScripted plays the part and returns the exit status.
func beScripted(args []string) int {
	if args[1] == "confinement" {
		if args[0] == "cannot be confined" {
			fmt.Fprintln(os.Stderr, "no such command")
			return 1
		}
		say(`{"result":{"missing":{"network":"a script","user":"a script","files":"a script","calls":"a script"}}}`)
		return 0
	}
	c, err := readCall(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	name, on, found := strings.Cut(c.script, " on ")
	if found && on != c.subcommand && on != filepath.Ext(c.out) {
		name = "good"
	}
	return c.play(name)
}

// say prints one line of the protocol.
func say(line string) { fmt.Println(line) }

func fault(text string) int {
	line, _ := json.Marshal(map[string]string{"error": text})
	say(string(line))
	return exitInput
}

// play acts by a script. "slow on .sog" is slow where it is to write a .sog, and
// good otherwise.
func (c call) play(name string) int {
	switch name {
	case "good":
		return c.good()
	case "fault":
		return fault(`Entry "data.bin": is cut short`)
	case "strange fault":
		return fault("odd\x00\n" + strings.Repeat("x", 2000))
	case "exits 2 silently":
		return exitInput
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
		return c.atFirst(func() {
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
func (c call) atFirst(do func()) int {
	mark := filepath.Join(os.Getenv("TMPDIR"), "..", "..", "mark-"+filepath.Base(c.in))
	if file, err := os.OpenFile(mark, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
		_ = file.Close()
		do()
	}
	return c.good()
}

// good does what it is asked for: a result that tells of its input.
func (c call) good() int {
	body, err := os.ReadFile(c.in)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	facts := map[string]any{"format": "other"}
	switch filepath.Ext(c.in) {
	case ".ply", ".spz", ".sog":
		facts = map[string]any{"format": filepath.Ext(c.in)[1:], "splats": strings.Count(string(body), "s")}
	case ".jpg":
		facts = map[string]any{"format": "jpeg", "width": 640, "height": 480}
	}
	if c.subcommand == "inspect" {
		return result(facts)
	}
	say(`{"percent":0,"message":"reading"}`)
	files := map[string]string{filepath.Base(c.out): "made of " + string(body)}
	if filepath.Base(c.out) == "lod-meta.json" {
		files["0_0/meta.json"], files["0_0/means_l.webp"] = "{}", "image"
		facts["format"] = "streamed-sog"
	}
	for name, content := range files {
		say(`{"percent":50,"message":"writing ` + name + `"}`)
		at := filepath.Join(filepath.Dir(c.out), name)
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
	line, _ := json.Marshal(map[string]any{"result": map[string]any{"primary": "", "facts": facts}})
	say(string(line))
	return 0
}
