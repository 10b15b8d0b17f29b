package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"portico/server"
	"portico/splat"
)

// commandLine contains the commands, and the settings, which are flags of every command.
type commandLine struct {
	server.Config

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Serve   serveCommand   `cmd:"" help:"Run the server, and run jobs unless PORTICO_WORKERS is 0."`
	Worker  workerCommand  `cmd:"" help:"Run jobs only."`
	Migrate migrateCommand `cmd:"" help:"Migrate the database to this version."`
	Version versionCommand `cmd:"" help:"Print the version."`
	Health  healthCommand  `cmd:"" help:"Report whether the server at PORTICO_ADDR is ready, for health checks of containers."`
	User    userCommand    `cmd:"" help:"Manage accounts."`
	Space   spaceCommand   `cmd:"" help:"Moderate spaces."`

	Job      jobCommand      `cmd:"" help:"Manage the jobs of all accounts."`
	Settings settingsCommand `cmd:"" help:"Print the effective settings and their sources, one JSON object per line."`

	Audit   auditCommand   `cmd:"" help:"Print the audit trail: sign-ins, API keys, privacy, deletions and changes of accounts."`
	Inspect inspectCommand `cmd:"" help:"Print the format, the content and the faults of a file."`
	Convert convertCommand `cmd:"" help:"Convert a capture to SOG, streamed SOG, PLY, SPZ, glTF, CSV or a picture."`

	Upload uploadCommand `cmd:"" help:"Upload a file to a server. The upload continues after a lost connection."`

	Pull   pullCommand   `cmd:"" help:"Download a space as files into a folder, for example in git."`
	Status statusCommand `cmd:"" help:"List the changes in the folder of a space and on the server."`
	Diff   diffCommand   `cmd:"" help:"Show the changes of a push, line by line."`
	Push   pushCommand   `cmd:"" help:"Apply the changes in a folder to its space, all or none."`

	Export exportCommand `cmd:"" help:"Write a whole account into a zip: files, spaces with their histories, profile. For operators."`
	Import importCommand `cmd:"" help:"Import the files and spaces of an export into the account of a key, all or none."`

	View viewCommand `cmd:"" help:"Open a capture in the browser, without a server or an account."`

	Child childCommand `cmd:"" hidden:"" help:"Carry out a request of a worker."`
}

// parse reads the arguments and the environment. For --help and --version it prints to out
// and returns a nil context.
func parse(args []string, out io.Writer) (*commandLine, *kong.Context, error) {
	if len(args) == 0 {
		return nil, nil, errors.New("no command: portico help lists the commands")
	}
	line, isDone := &commandLine{}, false
	parser, err := kong.New(line, kong.Name("portico"), kong.Vars(server.Defaults()),
		kong.Vars{"version": server.Version(), "width": strconv.Itoa(pictureWidth), "height": strconv.Itoa(pictureHeight), "frames": strconv.Itoa(splat.DefaultFrames)},
		kong.Help(printHelp), kong.ValueFormatter(describeValue),
		kong.ExplicitGroups([]kong.Group{{Key: "edit", Title: "Changes, applied in the order of the command line, with the names of splat-transform:"}}),
		kong.Description("The open, self-hosted server for publishing 3D spaces."),
		kong.Writers(out, out), kong.Exit(func(int) { isDone = true }))
	if err != nil {
		return nil, nil, err
	}
	// Each function rewrites the arguments for the next one. flagExtraInputs is last, because it
	// counts the arguments that are not values of flags, so each value must already be attached to
	// its flag or follow a flag that takes one.
	parsed, err := parser.Parse(flagExtraInputs(parser.Model, fillOptionalValues(joinNegativeNumbers(flagHelp(args)))))
	switch {
	case isDone: // kong continues after its Exit returns
		return line, nil, nil
	case err != nil:
		return nil, nil, nameVariable(err)
	}
	return line, parsed, errors.Join(refuseUnused(parsed), checkVariables(parser.Model.Flags, os.Environ()))
}

// negativeNumber matches an argument that starts with a negative number.
var negativeNumber = regexp.MustCompile(`^-\.?[0-9]`)

// joinNegativeNumbers joins each flag with the negative number that follows it, as in
// "-t -1,0,0". Kong would parse the number as a flag. No flag starts with a digit. The arguments
// after "--" stay as they are, because they are positional.
func joinNegativeNumbers(args []string) []string {
	var joined []string
	for i, arg := range args {
		last := len(joined) - 1
		switch {
		case arg == "--":
			return append(joined, args[i:]...)
		case last < 0 || !negativeNumber.MatchString(arg) || !strings.HasPrefix(joined[last], "-"):
			joined = append(joined, arg)
		case strings.HasPrefix(joined[last], "--"):
			joined[last] += "=" + arg
		default:
			joined[last] += arg
		}
	}
	return joined
}

// kongVariable matches an error of kong about a variable. Such an error starts with the name of the
// flag, which the operator did not use. The last group is the name of the variable.
var kongVariable = regexp.MustCompile(`(?s)^--[a-z-]+: (.*) \(from envar (PORTICO_\w+)=.*\)$`)

// nameVariable returns the error with the name of the wrong variable at its start, like the
// errors of Config.Validate.
func nameVariable(err error) error {
	if m := kongVariable.FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("%s: %s", m[2], m[1])
	}
	// A new error, because kong's own error type also prints the usage.
	return errors.New(err.Error())
}
