package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
)

// variablePrefix is the prefix of the names of our variables.
const variablePrefix = "PORTICO_"

// maxTypos is the number of wrong characters up to which a name is similar to another.
const maxTypos = 2

// foreignVariable matches the variables that Kubernetes sets in every container of a namespace
// that has a service called portico.
var foreignVariable = regexp.MustCompile(`^PORTICO_(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)`)

// unsetEmpty unsets our variables that are empty. An .env file often lists a variable without a
// value to select its default.
func unsetEmpty() {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if value == "" && strings.HasPrefix(name, variablePrefix) {
			_ = os.Unsetenv(name) // fails for names that Environ never returns
		}
	}
}

// checkVariables returns an error for a variable with our prefix that is not a setting.
// Otherwise a misspelled name would silently keep a default, such as open sign-up, that the
// operator wanted to change.
func checkVariables(flags []*kong.Flag, environment []string) error {
	// Read by package db/private, and by the commands that call a server.
	known := []string{"PORTICO_PG_BIN", "PORTICO_URL", "PORTICO_KEY"}
	for _, flag := range flags {
		known = append(known, flag.Envs...)
	}
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, variablePrefix) || foreignVariable.MatchString(name) {
			continue
		}
		if slices.Contains(known, name) {
			continue
		}
		if similar := similarVariable(name, known); similar != "" {
			return fmt.Errorf("%s: is not a setting; did you mean %s?", name, similar)
		}
		return fmt.Errorf("%s: is not a setting; portico settings lists all of them", name)
	}
	return nil
}

// similarVariable returns the known name that was probably meant, or "" if none is similar.
func similarVariable(name string, known []string) string {
	words := strings.Split(strings.TrimPrefix(name, variablePrefix), "_")
	similar, distance := "", maxTypos+1
	for _, candidate := range known {
		d := levenshtein.ComputeDistance(name, candidate)
		its := strings.Split(strings.TrimPrefix(candidate, variablePrefix), "_")
		switch {
		case strings.HasPrefix(candidate, name):
			d = 1 // the start of a name is a likelier mistake than any other name
		// All words of the name are in the candidate, which has more words.
		case !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(its, word) }):
			d = min(d, maxTypos)
		}
		if d < distance {
			similar, distance = candidate, d
		}
	}
	return similar
}
