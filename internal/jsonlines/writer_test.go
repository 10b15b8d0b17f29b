package jsonlines_test

import (
	"errors"
	"strings"
	"testing"

	"portico/internal/jsonlines"
)

func TestWriter_writes_whole_percentages(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	(&jsonlines.Writer{Out: &out}).Progress(99.9, "Writing")
	if got, want := out.String(), `{"message":"Writing","percent":99}`+"\n"; got != want {
		t.Errorf("line: got %q, want %q", got, want)
	}
}

func TestLast(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		write         func(*jsonlines.Writer) error
		result, fault string
	}{
		{"returns a result", func(w *jsonlines.Writer) error { return w.Result(map[string]int{"files": 3}) }, `{"files":3}`, ""},
		{"returns a fault", func(w *jsonlines.Writer) error { return w.Fault(errors.New("is cut short")) }, "", "is cut short"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			lines := &jsonlines.Writer{Out: &out}
			lines.Progress(50, "Reading")
			if err := test.write(lines); err != nil {
				t.Fatalf("write: got %v, want nil", err)
			}
			result, fault, err := jsonlines.Last(out.String())
			if err != nil || string(result) != test.result || fault != test.fault {
				t.Errorf("last line: got %q, %q, %v, want %q, %q", result, fault, err, test.result, test.fault)
			}
		})
	}
}

func TestLast_refuses_an_output_without_an_end(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Hello\n", `{"percent":50,"message":"Reading"}` + "\n", `{"result":{}}` + "\n{}\n"} {
		if result, fault, err := jsonlines.Last(text); err == nil {
			t.Errorf("last line of %q: got %q, %q, want an error", text, result, fault)
		}
	}
}
