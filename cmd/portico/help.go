package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// printHelp prints the help of a command with the settings whose tag "for" names it. A
// command accepts the other settings too, so that one environment serves all commands, but
// they have no effect. The help of the program has the commands and the server's settings.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	path := "serve"
	if selected := ctx.Selected(); selected != nil {
		path = selected.Path()
	}
	command, _, _ := strings.Cut(strings.TrimPrefix(path, "portico "), " ")
	for _, flag := range ctx.Model.Flags {
		if !flag.Tag.Has("for") {
			continue
		}
		commands := strings.Split(flag.Tag.Get("for"), " ")
		flag.Hidden = flag.Hidden || !slices.Contains(commands, command)
	}
	return kong.DefaultHelpPrinter(options, ctx)
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
