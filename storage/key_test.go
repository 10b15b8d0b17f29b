package storage

import (
	"errors"
	"strings"
	"testing"
)

func TestCheckKey(t *testing.T) {
	t.Parallel()
	segment := strings.Repeat("s", 255)
	tests := []struct {
		name  string
		key   string
		valid bool
	}{
		{"an upload", "12345678/api_uploads/k3j_room.zip", true},
		{"a tile", "12345678/api_uploads/k3j_room/data/3dgs/0.sog", true},
		{"spaces, accents and marks", "1/räum 100% #1?.glb", true},
		{"dots within names", "1/..a/b../...", true},
		{"segment of maximum length", segment, true},
		{"key above the maximum length", segment + "/" + segment + "/" + segment + "/" + segment + "/", false},
		{"key of maximum length", segment + "/" + segment + "/" + segment + "/" + segment, true},
		{"segment too long", segment + "s", false},
		{"key too long", strings.Repeat("s/", 512) + "s", false},
		{"empty", "", false},
		{"leading slash", "/1/a", false},
		{"trailing slash", "1/a/", false},
		{"doubled slash", "1//a", false},
		{"dot", "1/./a", false},
		{"dots", "1/../a", false},
		{"only dots", "..", false},
		{"backslash", `1\a`, false},
		{"NUL", "1/a\x00", false},
		{"newline", "1/a\n", false},
		{"delete", "1/a\x7f", false},
		{"control of Latin 1", "1/a\u0085", false},
		{"not UTF-8", "1/\xff", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := CheckKey(tt.key)
			if (err == nil) != tt.valid {
				t.Errorf("CheckKey(%q): got %v, want valid %v", tt.key, err, tt.valid)
			}
			if err != nil && !errors.Is(err, ErrInvalidKey) {
				t.Errorf("CheckKey(%q): got %v, want ErrInvalidKey", tt.key, err)
			}
		})
	}
}
