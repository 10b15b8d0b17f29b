package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// extraInputFlag is the hidden flag for each input of "portico convert" between the first input
// and OUT. Kong cannot parse a list of files that has flags between its files.
const extraInputFlag = "extra-input"

// optionalValues returns the default value of each flag whose value is optional. Kong requires
// a value for every flag that is not a bool.
func optionalValues() map[string]string {
	const floaters = "0.05,0.1,0.004"
	return map[string]string{"-F": floaters, "--filter-floaters": floaters}
}

// numberList matches numbers that are separated by commas. An argument that does not match, such as
// OUT, is not the value of the flag before it.
var numberList = regexp.MustCompile(`^[0-9.]+(,[0-9.]+)*$`)

// fillOptionalValues returns the arguments with a value for each flag of optionalValues: the
// value that follows the flag, or the default. The arguments after "--" are not flags.
func fillOptionalValues(args []string) (complete []string) {
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(complete, args[i:]...)
		}
		value, ok := optionalValues()[args[i]]
		if !ok {
			complete = append(complete, args[i])
			continue
		}
		flag := strings.Replace(args[i], "-F", "--filter-floaters", 1)
		if i+1 < len(args) && numberList.MatchString(args[i+1]) {
			i++
			value = args[i]
		}
		complete = append(complete, flag+"="+value)
	}
	return complete
}

// flagExtraInputs returns the arguments of "portico convert" with each input between the first
// input and OUT as a value of extraInputFlag. It returns the arguments of other commands as they
// are.
//
// For example
//
//	convert A.ply -t 1,0,0 B.ply OUT.sog
//
// becomes
//
//	convert A.ply -t 1,0,0 --extra-input=B.ply OUT.sog
//
// The arguments keep their order, from which assignEdits sees the input that each edit follows.
func flagExtraInputs(app *kong.Application, args []string) []string {
	takesValue := map[string]bool{}
	for _, command := range app.Leaves(false) {
		for _, flags := range command.AllFlags(false) {
			for _, f := range flags {
				takesValue["--"+f.Name], takesValue["-"+string(f.Short)] = !f.IsBool(), !f.IsBool()
			}
		}
	}
	var words []int // the arguments that are neither flags nor their values
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return args // all arguments after "--" are positional
		case !strings.HasPrefix(args[i], "-") || args[i] == "-":
			words = append(words, i)
		case takesValue[args[i]]:
			i++
		}
	}
	// The name of the command, the first input and OUT are always there.
	const command, first, last = 1, 1, 1
	if len(words) <= command+first+last || args[words[0]] != "convert" {
		return args
	}
	marked := slices.Clone(args)
	for _, i := range words[command+first : len(words)-last] {
		marked[i] = "--" + extraInputFlag + "=" + args[i]
	}
	return marked
}
