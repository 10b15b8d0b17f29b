package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// licenceFile matches the names of files that a copy of a module must come with.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// licences returns the licences of the Go modules in a program.
func (r *release) licences(ctx context.Context, program string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	arguments := []string{"mod", "download", "-json"}
	for _, module := range info.Deps {
		arguments = append(arguments, module.Path+"@"+module.Version)
	}
	output, err := r.command(ctx, "go", arguments...).Output()
	if err != nil {
		return nil, fmt.Errorf("find the modules of the program: %w", err)
	}
	var text bytes.Buffer
	for modules := json.NewDecoder(bytes.NewReader(output)); modules.More(); {
		var module struct{ Path, Version, Dir string }
		if err := modules.Decode(&module); err != nil {
			return nil, err
		}
		entries, err := os.ReadDir(module.Dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() || !licenceFile.MatchString(entry.Name()) {
				continue
			}
			licence, err := os.ReadFile(filepath.Join(module.Dir, entry.Name()))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&text, "==== %s %s, %s\n\n%s\n\n", module.Path, module.Version, entry.Name(), bytes.TrimSpace(licence))
		}
	}
	return text.Bytes(), nil
}
