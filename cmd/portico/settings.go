package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"portico/model"
	"portico/server"
)

type settingsCommand struct{}

// Run prints the settings that a server with the same environment would have.
func (settingsCommand) Run(_ context.Context, in *invocation) error {
	for _, setting := range in.settings {
		if err := printJSON(in.out, setting); err != nil {
			return err
		}
	}
	return nil
}

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
	case server.Period:
		return time.Duration(value).String()
	case server.Level:
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
