package settings

import "testing"

func TestSize_is_read_with_its_unit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Size{
		"0": 0, "1500000": 1_500_000, "9007199254740993": 9007199254740993, "12B": 12, "1KB": 1000, "1KiB": 1024,
		"20GB": 20e9, "20 GB": 20e9, "1.5GiB": 3 << 29, "0.5MiB": 1 << 19, "2TB": 2e12, "1TiB": 1 << 40, "3MB": 3e6,
	} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "GB", "-1", "1e3", "0x10", "Inf", "NaN", "1gb", "1 000", "1.GB", "1BB", "1PB", "1iB", "9999999999999999999999"} {
		var got Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}
