package commandline

import (
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"

	"portico/model"
	"portico/server/settings"
)

// settingsOf returns the settings in force and the source of each, in the order of the help. A flag
// on the command line wins over a variable, and a variable over a default, as kong parses them.
func settingsOf(parsed *kong.Context) []*model.Setting {
	given := map[*kong.Flag]bool{} // the flags on the command line
	for _, part := range parsed.Path {
		if part.Flag != nil && !part.Resolved {
			given[part.Flag] = true
		}
	}
	var settings []*model.Setting
	for _, flag := range parsed.Model.Flags {
		if len(flag.Envs) != 1 || !strings.HasPrefix(flag.Envs[0], variablePrefix) {
			continue
		}
		setting := &model.Setting{Name: flag.Envs[0], Help: flag.Help, Value: flag.Default, Source: model.SourceDefault}
		value, set := os.LookupEnv(setting.Name)
		switch {
		case given[flag]:
			setting.Value, setting.Source = describeTarget(flag.Target), model.SourceFlag
		case set:
			setting.Value, setting.Source = value, model.SourceEnvironment
		// Neither given: the server generates the secret and stores it in the data folder.
		case setting.Name == "PORTICO_SECRET":
			setting.Value, setting.Source = hiddenValue, model.SourceFile
		}
		setting.Value = maskSecrets(setting.Name, setting.Value)
		settings = append(settings, setting)
	}
	return settings
}

// describeTarget returns the value of a flag in the form that the flag accepts.
func describeTarget(target reflect.Value) string {
	switch value := target.Interface().(type) {
	case []string:
		return strings.Join(value, ",")
	case settings.Period:
		return time.Duration(value).String()
	case settings.Level:
		return strings.ToLower(slog.Level(value).String())
	default:
		return fmt.Sprint(value)
	}
}

// hiddenValue replaces a secret.
const hiddenValue = "••••••"

// secretWord matches the names of secrets, in variables and in the queries of addresses. "key" and
// "pass" must be words of their own, because they are also parts of other words.
var secretWord = regexp.MustCompile(`(?i)secret|password|token|(^|[^a-z])key([^a-z]|$)|(^|_)pass`)

// maskSecrets returns the value of a setting for display: it hides the value of a secret setting,
// and the password and the secret parameters of an address.
//
// Examples, where the name of the last one does not mark a secret:
//
//	PORTICO_SECRET          ••••••
//	PORTICO_DATABASE_URL    postgres://user:hidden@host/name
//	PORTICO_ADDR            as it is
func maskSecrets(name, value string) string {
	switch {
	case value == "":
		return ""
	case secretWord.MatchString(strings.TrimPrefix(name, variablePrefix)):
		return hiddenValue
	case !strings.Contains(value, "://"):
		return value
	}
	address, err := url.Parse(value)
	if err != nil {
		return hiddenValue // it may contain a password whose characters are not escaped
	}
	if _, has := address.User.Password(); has {
		address.User = url.UserPassword(address.User.Username(), "hidden")
	}
	query := address.Query()
	for key := range query {
		if secretWord.MatchString(key) {
			query.Set(key, "hidden")
		}
	}
	if address.RawQuery != "" {
		address.RawQuery = query.Encode()
	}
	return address.String()
}

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
