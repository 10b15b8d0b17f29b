package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// alsoFlag is the hidden flag that stands for each input of "portico convert" between the
// first and OUT. Kong does not read a list of files with flags in between.
const alsoFlag = "also"

// optionalValues are the flags whose value may be left out, with what it is then.
func optionalValues() map[string]string {
	const floaters = "0.05,0.1,0.004"
	return map[string]string{"-F": floaters, "--filter-floaters": floaters}
}

// numberList matches numbers that are separated by commas.
var numberList = regexp.MustCompile(`^[0-9.]+(,[0-9.]+)*$`)

// completeFlags gives flags whose value was left out their value, and joins the others with
// theirs.
func completeFlags(args []string) (complete []string) {
	for i := 0; i < len(args); i++ {
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

// markInputs makes flags of the inputs of "portico convert" between the first and OUT.
func markInputs(app *kong.Application, args []string) []string {
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
			return args // whatever follows is not for us
		case !strings.HasPrefix(args[i], "-") || args[i] == "-":
			words = append(words, i)
		case takesValue[args[i]]:
			i++
		}
	}
	const command, first, last = 1, 1, 1
	if len(words) <= command+first+last || args[words[0]] != "convert" {
		return args
	}
	marked := slices.Clone(args)
	for _, i := range words[command+first : len(words)-last] {
		marked[i] = "--" + alsoFlag + "=" + args[i]
	}
	return marked
}
