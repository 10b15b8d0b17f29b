package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

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
