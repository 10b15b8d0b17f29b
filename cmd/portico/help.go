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
