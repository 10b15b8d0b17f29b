package main

import (
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/cmd/portico/commandline"
)

// TestConfig_refuses has a row per rule. The settings come from the environment,
// as an operator sets them, so this is what the operator reads.
func TestConfig_refuses(t *testing.T) {
	t.Parallel()
	for _, test := range refusedSettings() {
		t.Run(test.setting, func(t *testing.T) {
			t.Parallel()
			name, _, _ := strings.Cut(test.setting, "=")
			out, got, code := runCommand(t, t.TempDir(), []string{test.setting}, "version")
			if want := "portico: " + name + ": " + test.want + "\n"; out != "" || got != want || code != 1 {
				t.Errorf("got %q, %q, %d, want one line %q and 1", out, got, code, want)
			}
		})
	}
}

// refusedSettings are settings, and why each is refused.
func refusedSettings() []struct{ setting, want string } {
	return []struct{ setting, want string }{
		{"PORTICO_ADDR=8080", `"8080" is not HOST:PORT`},
		{"PORTICO_METRICS_ADDR=9090", `"9090" is not HOST:PORT`},
		{"PORTICO_BASE_URL=portico.example", `"portico.example" is not an http or https address without query`},
		{"PORTICO_BASE_URL=https://portico.example/?a", `"https://portico.example/?a" is not an http or https address without query`},
		{"PORTICO_BASE_URL=https://portico.example/sub", `"https://portico.example/sub" must not have a path`},
		{"PORTICO_FILES_URL=ftp://x", `"ftp://x" is not an http or https address without query`},
		{"PORTICO_MIGRATE_DATABASE_URL=postgres://u:hidden@h/d", "needs PORTICO_DATABASE_URL, which names the role that gets the rights"},
		{"PORTICO_DATABASE_URL=mysql://u:hidden@h/d", "the database address must begin with postgres:// or unix://"},
		{"PORTICO_DATABASE_URL=postgres://u:hidden@a:5432,b:5432/d", "the database address names several hosts, of which only the primary can be used. Add target_session_attrs=read-write to its parameters"},
		{"PORTICO_DATABASE_URL=postgres://u:12/hidden@h/d", "the database address is not a URL. Percent-encode the special characters of the user and the password, for example # as %23, / as %2F, ? as %3F and @ as %40"},
		{"PORTICO_DATABASE_URL=postgres://u:hidden@h/d?require_auth=md5", "the database address cannot have the parameter require_auth"},
		{"PORTICO_STORAGE_URL=https://u:hidden@bucket", `"https://u:xxxxx@bucket" is not s3://BUCKET`},
		{"PORTICO_STORAGE_URL=s3://?region=eu", "the URL names no bucket"},
		{"PORTICO_STORAGE_URL=s3://k:hidden@bucket", "keys do not belong in the URL: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		{"PORTICO_STORAGE_URL=s3://bucket/folder", `"s3://bucket/folder" names a path: use ?prefix=folder`},
		{"PORTICO_STORAGE_URL=s3://bucket?endpoint=minio:9000", `endpoint: address "minio:9000" is not a plain http or https URL`},
		{"PORTICO_STORAGE_URL=s3://bucket?prefix=a/../b", `prefix: invalid storage key: "a/../b" has the segment ".."`},
		{"PORTICO_STORAGE_URL=s3://bucket?path_style=maybe", `path_style: "maybe" is not true or false`},
		{"PORTICO_STORAGE_URL=s3://bucket?regoin=eu", "regoin: the parameter is not one of endpoint, region, prefix, path_style and overwrite"},
		{"PORTICO_TRUSTED_PROXIES=10.0.0.0/99", `"10.0.0.0/99" is neither an address nor a CIDR block`},
		{"PORTICO_OIDC_ISSUER=issuer.example", `"issuer.example" is not an http or https address without query`},
		{"PORTICO_WORKERS=many", `expected a valid 64 bit int but got "many"`},
		{"PORTICO_WORKERS=-1", "-1 is not between 0 and 1000"},
		{"PORTICO_CONVERT_MEMORY=1MB", "must be at least 64MiB"},
		{"PORTICO_MAX_FILE_SIZE=lots", `"lots" is not a size such as 1500000, 20GB or 1.5GiB`},
		{"PORTICO_MAX_FILE_SIZE=0", "must be at least 1 byte"},
		{"PORTICO_DEFAULT_QUOTA=-1", `"-1" is not a size such as 1500000, 20GB or 1.5GiB`},
		{"PORTICO_ASYNC_THRESHOLD=99999999TB", `"99999999TB" is too large`},
		{"PORTICO_FORMATS=glb,p/ly", `"p/ly" is not a file name extension`},
		{"PORTICO_FORMATS=, ,", "must name at least one extension"},
		{"PORTICO_UPLOAD_TTL=15", `expected duration but got "15": time: missing unit in duration "15"`},
		{"PORTICO_UPLOAD_TTL=8\nh", `expected duration but got "8\nh": time: unknown unit "\x0ah" in duration "8\x0ah"`},
		{"PORTICO_UPLOAD_TTL=169h", "169h0m0s is not between 1s and 168h0m0s"},
		{"PORTICO_AUDIT_RETENTION=23h", "must be at least 1d"},
		{"PORTICO_AUDIT_RETENTION=1.5d", `"1.5d" is not a number of days such as 90d`},
		{"PORTICO_AUDIT_RETENTION=long", `"long" is not a duration such as 36h or 90d`},
		{"PORTICO_JOB_TTL=1ms", "1ms is less than 1s"},
		{"PORTICO_FILES_ACCESS=private", `"private" is not public or protected`},
		{"PORTICO_RATE_LIMITS=yes", `"yes" is not on, off or limits such as upload=60,entities=600`},
		{"PORTICO_RATE_LIMITS=uploads=60", `"uploads" is not one of [all create-space entities job json key move report update-privacy upload upload-complete workspace]`},
		{"PORTICO_RATE_LIMITS=upload=0", `upload: "0" is not a number from 1 to 10000000`},
		{"PORTICO_PLAN=gold", `"gold" is not free or pro`},
		{"PORTICO_CLIENT_DOCUMENTS=yes", `"yes" is not auto, on or off`},
		{"PORTICO_SIGNUP=0", `"0" is not on or off`},
		{"PORTICO_INTROSPECTION=true", `"true" is not on or off`},
		{"PORTICO_SECRET=short", "must have at least 16 characters"},
		{"PORTICO_LOG_LEVEL=loud", `"loud" is not debug, info, warn or error`},
		{"PORTICO_LOG_FORMAT=xml", `"xml" is not text or json`},
	}
}

func TestConfig_treats_an_empty_variable_as_unset(t *testing.T) {
	t.Parallel()
	empty := []string{"PORTICO_ADDR=", "PORTICO_WORKERS=", "PORTICO_UPLOAD_TTL=", "PORTICO_RATE_LIMITS=", "PORTICO_FORMATS="}
	if _, errs, code := runCommand(t, t.TempDir(), empty, "version"); errs != "" || code != 0 {
		t.Errorf("got %q, %d, want no error", errs, code)
	}
}

func TestConfig_defaults(t *testing.T) {
	t.Parallel()
	line, parsed, err := commandline.Parse([]string{"serve", "--formats=.GLB, ply ,"}, io.Discard)
	check(t, err)
	c := line.Config
	if parsed.Command() != "serve" || c.Addr != "127.0.0.1:8080" || c.UploadTTL != 15*time.Minute || c.JobTTL != time.Hour || c.Workers < 1 {
		t.Errorf("got %+v, want what the design says", c)
	}
	if c.MaxFileSize != 20_000_000_000 || c.DefaultQuota != 10_000_000_000 || c.AsyncThreshold != 3<<29 {
		t.Errorf("sizes: got %d, %d, %d", c.MaxFileSize, c.DefaultQuota, c.AsyncThreshold)
	}
	if !c.RateLimits.On() || !c.Signup.On() || !c.Introspection.On() || slog.Level(c.LogLevel) != slog.LevelInfo {
		t.Errorf("switches: got %v, %v, %v, %v", c.RateLimits, c.Signup, c.Introspection, c.LogLevel)
	}
	if want := []string{"glb", "ply"}; !slices.Equal(c.Formats, want) {
		t.Errorf("formats: got %q, want %q", c.Formats, want)
	}
}
