package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"

	"portico/server"
)

// commandLine is what can be asked of portico.
type commandLine struct {
	server.Config

	Serve   struct{}    `cmd:"" help:"Serve, and work on jobs unless PORTICO_WORKERS is 0."`
	Worker  struct{}    `cmd:"" help:"Work on jobs only."`
	Migrate struct{}    `cmd:"" help:"Bring the database up to date."`
	Version struct{}    `cmd:"" help:"Print the version."`
	User    userCommand `cmd:"" help:"Manage accounts."`

	Audit   auditCommand   `cmd:"" help:"Print what people and operators did that matters for security."`
	Inspect inspectCommand `cmd:"" help:"Say what a file is, and what is wrong with it."`
	Convert convertCommand `cmd:"" help:"Convert a capture to SOG or streamed SOG, or make a picture of it."`

	Confinement confinementCommand `cmd:"" hidden:"" help:"Say what confines a child of a worker here."`
}

// parse reads the arguments and the environment. The command is "" when help was
// asked for, and given on out.
func parse(args []string, out io.Writer) (line *commandLine, command string, err error) {
	line, helped := &commandLine{}, false
	parser, err := kong.New(line, kong.Name("portico"), kong.Vars(server.Defaults()),
		kong.Description("The open, self-hosted server for publishing 3D spaces."),
		kong.Writers(out, out), kong.Exit(func(int) { helped = true }))
	if err != nil {
		return nil, "", err
	}
	parsed, err := parser.Parse(args)
	switch {
	case helped: // kong goes on when its Exit returns
		return line, "", nil
	case err != nil:
		return nil, "", nameVariable(err)
	}
	return line, parsed.Command(), nil
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

// level returns the least level that the command logs. The user commands are
// talked to by people, and by scripts that expect silence.
func (l *commandLine) level(command string) slog.Level {
	if l.isService(command) {
		return slog.Level(l.LogLevel)
	}
	return max(slog.Level(l.LogLevel), slog.LevelWarn)
}

// isService tells whether the command runs unattended: its errors are for a log.
func (*commandLine) isService(command string) bool {
	return command == "serve" || command == "worker" || command == "migrate"
}
