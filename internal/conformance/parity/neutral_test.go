package parity

import (
	"encoding/json"
	"errors"
	"regexp"
	"testing"

	"portico/internal/testkit/api"
	"portico/model"
)

// volatileParts match the parts of responses that always differ: ids, addresses and times.
var volatileParts = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`(alice|bob)[0-9]x*@`), "$1@"},
	{regexp.MustCompile(`[0-9]{8}_[A-Za-z0-9]+`), "SPACE"},
	{regexp.MustCompile(`api_uploads/[a-z0-9]+`), "api_uploads/TOKEN"},
	{regexp.MustCompile(`/[a-z0-9]{26}/`), "/TOKEN/"}, // the folder of a conversion
	{regexp.MustCompile(`user-model-[0-9a-f]{16}`), "user-model-ID"},
	{regexp.MustCompile(`\b[0-9]{8}\b`), "USER"},
}

// uuid matches generated ids, and the ids of static gates.
var uuid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

func withoutUUID(id string) string {
	if model.IsStaticGateID(id) {
		return id
	}
	return "UUID"
}

// neutral runs a row and writes its response, or its refusal, in one form. It returns "" if
// the door has no such operation.
func neutral(t testing.TB, run func(pair) (any, error)) func(pair) string {
	return func(p pair) string {
		t.Helper()
		got, err := run(p)
		if errors.Is(err, errNoOperation) {
			return ""
		}
		if err != nil {
			refused, ok := errors.AsType[*api.Refusal](err)
			if !ok {
				t.Fatal(err)
			}
			got = refused
		}
		b, err := json.MarshalIndent(got, "", "  ")
		check(t, err)
		response := uuid.ReplaceAllStringFunc(string(b), withoutUUID)
		for _, part := range volatileParts {
			response = part.form.ReplaceAllString(response, part.name)
		}
		return response
	}
}
