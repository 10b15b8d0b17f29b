package console_test

import (
	"os"
	"strings"
	"testing"

	"portico/db"
)

// A kind of work without words would be shown by its name in the database.
func TestQueues_have_words_for_each_kind(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("src/queuetext.ts")
	check(t, err)
	for _, kind := range db.Kinds() {
		if !strings.Contains(string(content), "'"+kind+"': 'queue.") {
			t.Errorf("queuetext.ts has no words for the kind %s", kind)
		}
	}
}
