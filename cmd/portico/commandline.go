package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"portico/server"
)

// commandLine is what can be asked of portico.
type commandLine struct {
	server.Config

	Serve   serveCommand   `cmd:"" help:"Serve, and work on jobs unless PORTICO_WORKERS is 0."`
	Worker  workerCommand  `cmd:"" help:"Work on jobs only."`
	Migrate migrateCommand `cmd:"" help:"Bring the database up to date."`
	Version versionCommand `cmd:"" help:"Print the version."`
	User    userCommand    `cmd:"" help:"Manage accounts."`

	Audit   auditCommand   `cmd:"" help:"Print what people and operators did that matters for security."`
	Inspect inspectCommand `cmd:"" help:"Say what a file is, and what is wrong with it."`
	Convert convertCommand `cmd:"" help:"Convert a capture to SOG or streamed SOG, or make a picture of it."`

	Child childCommand `cmd:"" hidden:"" help:"Carry out a request of a worker."`
}

// parse reads the arguments and the environment. Where they ask for help, it writes
// that to out and returns no context.
func parse(args []string, out io.Writer) (*commandLine, *kong.Context, error) {
	line, helped := &commandLine{}, false
	parser, err := kong.New(line, kong.Name("portico"), kong.Vars(server.Defaults()),
		kong.Description("The open, self-hosted server for publishing 3D spaces."),
		kong.Writers(out, out), kong.Exit(func(int) { helped = true }))
	if err != nil {
		return nil, nil, err
	}
	parsed, err := parser.Parse(args)
	switch {
	case helped: // kong goes on when its Exit returns
		return line, nil, nil
	case err != nil:
		return nil, nil, nameVariable(err)
	}
	return line, parsed, nil
}

// kongVariable is how kong tells of a variable, behind the name of a flag that
// nobody used.
var kongVariable = regexp.MustCompile(`(?s)^--[a-z-]+: (.*) \(from envar (PORTICO_\w+)=.*\)$`)

// nameVariable begins the error with the variable that is wrong, if it is one,
// as those of Config.Validate do.
func nameVariable(err error) error {
	if m := kongVariable.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s: %s", m[2], m[1])
	}
	// Kong's own type prints usage, which no caller of ours wants.
	return errors.New(err.Error())
}

// unsetEmpty makes an empty variable one that is not set, as it is meant where
// files of variables list them all.
func unsetEmpty() {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if value == "" && strings.HasPrefix(name, "PORTICO_") {
			_ = os.Unsetenv(name) // fails for names that Environ never returns
		}
	}
}
