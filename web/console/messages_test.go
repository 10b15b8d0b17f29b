package console_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/db"
	"portico/model"
)

// A reason of the audit trail without a text would be shown as nothing in that language.
func TestMessages_have_every_reason_of_an_event(t *testing.T) {
	t.Parallel()
	for name, texts := range readMessages(t) {
		for _, reason := range model.SecurityEventReasons() {
			if key := "reason." + constantOf(string(reason)); texts[key] == "" {
				t.Errorf("%s has no %s", name, key)
			}
		}
	}
}

// A step of a job without a text would be shown as nothing in that language.
func TestMessages_have_every_step_of_a_job(t *testing.T) {
	t.Parallel()
	for name, texts := range readMessages(t) {
		for _, step := range model.JobStepNames() {
			if key := "job.step." + constantOf(string(step)); texts[key] == "" {
				t.Errorf("%s has no %s", name, key)
			}
		}
	}
}

// A failure of a webhook without a text would be shown as nothing in that language.
func TestMessages_have_every_failure_of_a_webhook(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, reason := range model.WebhookFailureReasons() {
		keys = append(keys, "webhooks.failure."+constantOf(string(reason)))
	}
	for _, cause := range model.WebhookDisabledCauses() {
		keys = append(keys, "webhooks.disabled."+constantOf(string(cause)))
	}
	for name, texts := range readMessages(t) {
		for _, key := range keys {
			if texts[key] == "" {
				t.Errorf("%s has no %s", name, key)
			}
		}
	}
}

// A kind of work without words would be shown by its name in the database.
func TestMessages_have_every_kind_of_work(t *testing.T) {
	t.Parallel()
	for name, texts := range readMessages(t) {
		for _, kind := range db.Kinds() {
			if key := "queue." + kind; texts[key] == "" {
				t.Errorf("%s has no %s", name, key)
			}
		}
	}
}

// constantOf returns a value of the server as a constant of GraphQL.
func constantOf(value string) string { return strings.ToUpper(strings.ReplaceAll(value, "-", "_")) }

// readMessages returns the messages of the console in each language, by the name of the file.
func readMessages(t *testing.T) map[string]map[string]string {
	t.Helper()
	names, err := filepath.Glob("src/messages/*.json")
	check(t, err)
	languages := map[string]map[string]string{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		check(t, err)
		var texts map[string]string
		check(t, json.Unmarshal(content, &texts))
		languages[name] = texts
	}
	if want := len(model.Languages()); len(languages) != want {
		t.Fatalf("languages: got %d, want %d", len(languages), want)
	}
	return languages
}
