package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// printHelp prints the help of a command with the settings that it uses. The help of the
// program has the commands and the server's settings.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	command := "serve"
	if selected := ctx.Selected(); selected != nil {
		command = strings.TrimPrefix(selected.Path(), "portico ")
	}
	for _, flag := range ctx.Model.Flags {
		flag.Hidden = flag.Hidden || !uses(command, flag)
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// uses reports whether a setting has an effect on a command, such as "user add": the tag "for"
// of the setting names the command, or the commands below "user" by "user", or "user add" by
// "user.add".
func uses(command string, setting *kong.Flag) bool {
	if !setting.Tag.Has("for") {
		return true
	}
	names := strings.Split(setting.Tag.Get("for"), " ")
	group, _, _ := strings.Cut(command, " ")
	return slices.Contains(names, group) || slices.Contains(names, strings.ReplaceAll(command, " ", "."))
}

// refuseUnused returns an error for a flag of a setting that the command does not use: it would
// do nothing, in silence. Variables may be set for commands that do not use them, so that one
// environment serves all.
func refuseUnused(parsed *kong.Context) error {
	command := strings.TrimPrefix(parsed.Selected().Path(), "portico ")
	if command == "settings" { // which prints all
		return nil
	}
	for _, part := range parsed.Path {
		if part.Flag != nil && !part.Resolved && !uses(command, part.Flag) {
			return fmt.Errorf("--%s has no effect on portico %s; portico %s --help lists what has", part.Flag.Name, command, command)
		}
	}
	return nil
}

// describeValue returns the help of a flag or an argument, with the default that a
// placeholder hides and the variables that set it.
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
