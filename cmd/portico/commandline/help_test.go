package commandline

import (
	"io"
	"strings"
	"testing"

	"portico/server"
)

func TestHelp_of_a_command_has_its_settings_only(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args          []string
		with, without string
	}{
		{[]string{"--help"}, "serve [flags]", "--signup"},
		{[]string{"help"}, "user list", "--signup"},
		{[]string{"help", "serve"}, "--signup", "--quota"},
		{[]string{"serve", "--help"}, "--signup", "--quota"},
		{[]string{"worker", "--help"}, "--convert-memory", "--signup"},
		{[]string{"user", "add", "--help"}, "--default-quota", "--addr"},
		{[]string{"user", "list", "--help"}, "--data-dir", "--workers"},
		{[]string{"user", "set", "--help"}, "--quota", "--plan"},
		{[]string{"export", "--help"}, "--storage-url", "--addr"},
		{[]string{"audit", "--help"}, "--since", "--storage-url"},
		{[]string{"inspect", "--help"}, "--json", "--data-dir"},
		{[]string{"convert", "--help"}, "--workers", "--data-dir"},
	} {
		var out strings.Builder
		_, parsed, err := Parse(test.args, &out)
		check(t, err)
		if parsed != nil || !strings.Contains(out.String(), test.with) || strings.Contains(out.String(), test.without) {
			t.Errorf("%q: got\n%s\nwant it with %s and without %s", test.args, out.String(), test.with, test.without)
		}
	}
}

// A flag that does nothing looks as if it had: "user set --plan=pro" left the account Free.
func TestFlags_without_an_effect_are_refused(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"user set ada@example.com --plan=pro", "user list --addr=:80", "inspect room.ply --log-level=debug"} {
		_, _, err := Parse(strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), "has no effect") {
			t.Errorf("%s: got %v, want an error", args, err)
		}
	}
	for _, args := range []string{"user add ada@example.com --plan=pro", "settings --plan=pro", "export --user=ada@example.com --storage-url=s3://a a.zip"} {
		_, _, err := Parse(strings.Fields(args), io.Discard)
		check(t, err)
	}
}

func TestHelp_shows_defaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ command, flag, note string }{
		{"serve", "--signup=on|off", "(default on, $PORTICO_SIGNUP)"},
		{"serve", "--rate-limits=on|off", "(default on, $PORTICO_RATE_LIMITS)"},
		{"serve", "--introspection=on|off", "(default on, $PORTICO_INTROSPECTION)"},
		{"serve", "--files-access=public|protected", "(default public, $PORTICO_FILES_ACCESS)"},
		{"serve", "--log-level=debug|info|warn|error", "(default info, $PORTICO_LOG_LEVEL)"},
		{"convert", "--width=PX", "(default 640)"},
	} {
		var out strings.Builder
		_, _, err := Parse([]string{test.command, "--help"}, &out)
		check(t, err)
		words := strings.Join(strings.Fields(out.String()), " ") // without line breaks
		if _, help, _ := strings.Cut(words, test.flag); !strings.Contains(help[:min(len(help), 200)], test.note) {
			t.Errorf("help of %s: got\n%s\nwant %s with %s", test.command, out.String(), test.flag, test.note)
		}
	}
}

func TestVersion_is_a_flag_too(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	_, parsed, err := Parse([]string{"--version"}, &out)
	check(t, err)
	if got, want := out.String(), server.Version()+"\n"; parsed != nil || got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
