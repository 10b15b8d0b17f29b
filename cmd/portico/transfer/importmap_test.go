package transfer

import (
	"strings"
	"testing"
)

func TestMapJSON_maps_strings_and_names(t *testing.T) {
	t.Parallel()
	m := newImportMap("10000001")
	m.spaces["10000001_hall"] = "20000002_room"
	got, err := m.mapJSON([]byte(`{"doors":{"10000001_hall":{"title":"to 10000001_hall","width":1.50}}}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"doors":{"20000002_room":{"title":"to 20000002_room","width":1.50}}}`
	if strings.TrimSpace(string(got)) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// With the escapes for HTML, six bytes for each <, > and &, the server would refuse the change set.
func TestEncodePlain_writes_markup_as_it_is(t *testing.T) {
	t.Parallel()
	got, err := encodePlain(map[string]string{"html": "<p>&</p>"})
	if want := `{"html":"<p>&</p>"}` + "\n"; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
