package main

import "testing"

func TestVariables_that_are_unknown_stop_the_start(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ variable, want string }{
		{"PORTICO_SIGNUPS=off", "portico: PORTICO_SIGNUPS: is not a setting; did you mean PORTICO_SIGNUP?\n"},
		{"PORTICO_ADRR=:80", "portico: PORTICO_ADRR: is not a setting; did you mean PORTICO_ADDR?\n"},
		{"PORTICO_DATA=x", "portico: PORTICO_DATA: is not a setting; did you mean PORTICO_DATA_DIR?\n"},
		{"PORTICO_QUOTA=1GB", "portico: PORTICO_QUOTA: is not a setting; did you mean PORTICO_DEFAULT_QUOTA?\n"},
		{"PORTICO_LEVEL_LOG=warn", "portico: PORTICO_LEVEL_LOG: is not a setting; did you mean PORTICO_LOG_LEVEL?\n"},
		{"PORTICO_TOKEN=x", "portico: PORTICO_TOKEN: is not a setting; portico settings lists all of them\n"},
		{"PORTICO_PG_BIN=/usr/bin", ""},
		{"PORTICO_SIGNUPS=", ""},
		{"PORTICO_PORT_8080_TCP_ADDR=10.0.0.1", ""},
		{"PORTICO_SERVICE_HOST=10.0.0.1", ""},
		{"PORTICO_PORT=tcp://10.0.0.1:8080", ""},
	} {
		t.Run(test.variable, func(t *testing.T) {
			t.Parallel()
			_, got, code := runCommand(t, t.TempDir(), []string{test.variable}, "version")
			if got != test.want || (code == 0) != (test.want == "") {
				t.Errorf("got %q, %d, want %q", got, code, test.want)
			}
		})
	}
}
