package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"

	"github.com/alecthomas/kong"

	"portico/server"
)

// commandLine holds the commands, and the settings, which are flags of every command.
type commandLine struct {
	server.Config

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Serve   serveCommand   `cmd:"" help:"Serve, and work on jobs unless PORTICO_WORKERS is 0."`
	Worker  workerCommand  `cmd:"" help:"Work on jobs, and serve no requests."`
	Migrate migrateCommand `cmd:"" help:"Bring the database up to date."`
	Version versionCommand `cmd:"" help:"Print the version."`
	User    userCommand    `cmd:"" help:"Manage accounts."`

	Audit   auditCommand   `cmd:"" help:"Print the audit trail: sign-ins, keys, and changes of accounts and of what they own."`
	Inspect inspectCommand `cmd:"" help:"Print the format of a file, its contents and its faults."`
	Convert convertCommand `cmd:"" help:"Convert a capture to SOG, streamed SOG or a picture."`

	Child childCommand `cmd:"" hidden:"" help:"Carry out a request of a worker."`
}

// parse reads the arguments and the environment. Where they ask for help or the version,
// it writes that to out and returns no context.
func parse(args []string, out io.Writer) (*commandLine, *kong.Context, error) {
	line, helped := &commandLine{}, false
	parser, err := kong.New(line, kong.Name("portico"), kong.Vars(server.Defaults()),
		kong.Vars{"version": server.Version()}, kong.Help(printHelp),
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
	return line, parsed, checkVariables(parser.Model.Flags, os.Environ())
}

// kongVariable matches an error of kong about a variable. It names the flag first, which
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
