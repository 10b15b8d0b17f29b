package main

import (
	"strings"
	"testing"
)

// Each setting names its source, and no secret is printed.
func TestSettings_name_their_source_and_hide_secrets(t *testing.T) {
	t.Parallel()
	environment := []string{
		"PORTICO_HISTORY_AGE=30d", "PORTICO_DATABASE_URL=postgres://ada:pass%20word@db.example/portico",
		"PORTICO_SMTP_URL=smtp://ada:letmein@mail.example:587", "PORTICO_SMTP_FROM=p@example.com",
		"PORTICO_OIDC_CLIENT_SECRET=letmein", "PORTICO_OIDC_ISSUER=https://id.example", "PORTICO_OIDC_CLIENT_ID=p",
		"PORTICO_STORAGE_URL=s3://bucket?endpoint=https%3A%2F%2Fs3.example", "PORTICO_REDIS_URL=redis://:let%zz@r",
	}
	out, errs, code := runCommand(t, dataDir(t), environment, "settings", "--plan=pro", "--rate-limits=upload=60,all=900")
	if errs != "" || code != 0 {
		t.Fatalf("settings: got %q, %d", errs, code)
	}
	for _, want := range []string{
		`{"name":"PORTICO_PLAN","value":"pro","source":"flag"`, `{"name":"PORTICO_HISTORY_AGE","value":"30d","source":"environment"`,
		`{"name":"PORTICO_SIGNUP","value":"on","source":"default"`, `{"name":"PORTICO_SECRET","value":"••••••","source":"file"`,
		`"name":"PORTICO_RATE_LIMITS","value":"all=900,upload=60","source":"flag"`, `@db.example/portico`, `bucket?endpoint=`,
		`"name":"PORTICO_REDIS_URL","value":"••••••"`, `"name":"PORTICO_OIDC_CLIENT_SECRET","value":"••••••"`,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("settings: got %s, want %s", out, want)
		}
	}
	for _, secret := range []string{"letmein", "pass%20word", "pass word", "let%zz"} {
		if strings.Contains(out, secret) {
			t.Errorf("settings: got %s, want no secret", out)
		}
	}
}
