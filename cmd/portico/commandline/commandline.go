package commandline

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"portico/cmd/portico/operator"
	"portico/cmd/portico/serving"
	"portico/cmd/portico/spatial"
	"portico/cmd/portico/transfer"
	"portico/cmd/portico/workspace"
	"portico/server"
	"portico/server/settings"
)

// Line contains the commands, and the settings, which are flags of every command.
type Line struct {
	settings.Config

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Serve   serving.ServeCommand   `cmd:"" help:"Run the server, and run jobs unless PORTICO_WORKERS is 0."`
	Worker  serving.WorkerCommand  `cmd:"" help:"Run jobs only."`
	Migrate serving.MigrateCommand `cmd:"" help:"Migrate the database to this version."`
	Version serving.VersionCommand `cmd:"" help:"Print the version."`
	Health  serving.HealthCommand  `cmd:"" help:"Report whether the server at PORTICO_ADDR is ready, for health checks of containers."`
	User    operator.UserCommand   `cmd:"" help:"Manage accounts."`
	Space   operator.SpaceCommand  `cmd:"" help:"Moderate spaces."`

	Job      operator.JobCommand     `cmd:"" help:"Manage the jobs of all accounts."`
	Settings serving.SettingsCommand `cmd:"" help:"Print the effective settings and their sources, one JSON object per line."`

	Audit   operator.AuditCommand  `cmd:"" help:"Print the audit trail: sign-ins, API keys, privacy, deletions and changes of accounts."`
	Inspect spatial.InspectCommand `cmd:"" help:"Print the format, the content and the faults of a file."`
	Convert spatial.ConvertCommand `cmd:"" help:"Convert a capture to SOG, streamed SOG, PLY, SPZ, glTF, CSV or a picture."`

	Upload transfer.UploadCommand `cmd:"" help:"Upload a file to a server. The upload continues after a lost connection."`

	Pull   workspace.PullCommand   `cmd:"" help:"Download a space as files into a folder, for example in git."`
	Status workspace.StatusCommand `cmd:"" help:"List the changes in the folder of a space and on the server."`
	Diff   workspace.DiffCommand   `cmd:"" help:"Show the changes of a push, line by line."`
	Push   workspace.PushCommand   `cmd:"" help:"Apply the changes in a folder to its space, all or none."`

	Export ExportCommand          `cmd:"" help:"Write a space into a folder that any web server can show, or, for operators, a whole account into a zip."`
	Import transfer.ImportCommand `cmd:"" help:"Import the files and spaces of an export into the account of a key, all or none."`

	Backup  operator.BackupCommand  `cmd:"" help:"Copy the database, the secret and the files into a folder, while the server runs. For operators."`
	Restore operator.RestoreCommand `cmd:"" help:"Fill an empty database and the store from the folder of a backup. For operators."`
	Doctor  operator.DoctorCommand  `cmd:"" help:"Find what is wrong with the database, the files, the settings and the proxy, and say what to do. For operators."`

	View spatial.ViewCommand `cmd:"" help:"Open a capture in the browser, without a server or an account."`

	Child spatial.ChildCommand `cmd:"" hidden:"" help:"Carry out a request of a worker."`
}

// Parse reads the arguments and the environment. For --help and --version it prints to out
// and returns a nil context.
func Parse(args []string, out io.Writer) (*Line, *kong.Context, error) {
	if len(args) == 0 {
		return nil, nil, errors.New("no command: portico help lists the commands")
	}
	line, isDone := &Line{}, false
	parser, err := kong.New(line, kong.Name("portico"), kong.Vars(settings.Defaults()),
		kong.Vars{"version": server.Version()}, spatial.Vars(),
		kong.Help(printHelp), kong.ValueFormatter(describeValue),
		kong.ExplicitGroups([]kong.Group{{Key: "edit", Title: "Changes, applied in the order of the command line, with the names of splat-transform:"}}),
		kong.Description("The open, self-hosted server for publishing 3D spaces."),
		kong.Writers(out, out), kong.Exit(func(int) { isDone = true }))
	if err != nil {
		return nil, nil, err
	}
	parsed, err := parser.Parse(spatial.Arguments(parser.Model, flagHelp(args)))
	switch {
	case isDone: // kong continues after its Exit returns
		return line, nil, nil
	case err != nil:
		return nil, nil, nameVariable(err)
	}
	return line, parsed, errors.Join(refuseUnused(parsed), checkVariables(parser.Model.Flags, os.Environ()))
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

// helpFlag prints the help of a command, or of the program.
const helpFlag = "--help"

// flagHelp returns the arguments with the help flag instead of the command "help", which many
// programs have.
func flagHelp(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(slices.Clone(args[1:]), helpFlag)
}

// printHelp prints the help of a command with the settings that it uses. The help of the
// program has the commands, and no settings.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	command := ""
	if selected := ctx.Selected(); selected != nil {
		command = strings.TrimPrefix(selected.Path(), "portico ")
	}
	for _, flag := range ctx.Model.Flags {
		flag.Hidden = flag.Hidden || !usesSetting(command, flag)
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// usesSetting reports whether a setting has an effect on a command, such as "user add". The tag
// "for" of the setting lists commands: "user" stands for all commands below it, and "user.add"
// for one of them.
func usesSetting(command string, setting *kong.Flag) bool {
	if !setting.Tag.Has("for") {
		return true
	}
	names := strings.Split(setting.Tag.Get("for"), " ")
	group, _, _ := strings.Cut(command, " ")
	return slices.Contains(names, group) || slices.Contains(names, strings.ReplaceAll(command, " ", "."))
}

// refuseUnused returns an error for a flag whose setting the command does not use, because the flag
// would silently do nothing. A variable of an unused setting is not an error, so that all commands
// can share one environment.
func refuseUnused(parsed *kong.Context) error {
	command := strings.TrimPrefix(parsed.Selected().Path(), "portico ")
	if command == "settings" { // it prints all settings
		return nil
	}
	for _, part := range parsed.Path {
		if part.Flag != nil && !part.Resolved && !usesSetting(command, part.Flag) {
			return fmt.Errorf("--%s has no effect on portico %s; portico %s --help lists its flags", part.Flag.Name, command, command)
		}
	}
	return nil
}

// describeValue returns the help of a flag or an argument, with its variables. It adds the
// default of a flag that has a placeholder, because kong does not show it.
func describeValue(value *kong.Value) string {
	var notes []string
	if value.Flag != nil && value.Flag.PlaceHolder != "" && value.HasDefault {
		notes = append(notes, "default "+value.Default)
	}
	for _, variable := range value.Tag.Envs {
		notes = append(notes, "$"+variable)
	}
	if notes == nil {
		return value.Help
	}
	return strings.TrimSuffix(value.Help, ".") + " (" + strings.Join(notes, ", ") + ")."
}
