package main

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// components writes the list of what the files consist of, in the form of CycloneDX.
func (r *release) components(ctx context.Context) error {
	list, err := r.goComponents()
	if err != nil {
		return err
	}
	for _, lock := range []string{"db/private/npm", "web"} {
		of, err := npmComponents(filepath.Join(r.source, lock, "package-lock.json"))
		if err != nil {
			return err
		}
		list = append(list, of...)
	}
	of, err := r.systemComponents(ctx)
	if err != nil {
		return err
	}
	list = append(list, of...)
	slices.SortFunc(list, func(a, b cyclonedx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	list = slices.CompactFunc(list, func(a, b cyclonedx.Component) bool { return a.BOMRef == b.BOMRef })
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: "portico", Type: cyclonedx.ComponentTypeApplication, Name: "portico", Version: r.version,
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
		},
	}
	bom.Components = &list
	out, err := os.Create(r.file("components.cdx.json"))
	if err != nil {
		return err
	}
	return errors.Join(cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom), out.Close())
}

// component returns the entry of a library. Kind and qualifiers are those of a package URL.
func component(kind, name, version, qualifiers string) cyclonedx.Component {
	url := "pkg:" + kind + "/" + strings.ReplaceAll(name, "@", "%40") + "@" + strings.ReplaceAll(version, "+", "%2B") + qualifiers
	return cyclonedx.Component{BOMRef: url, PackageURL: url, Type: cyclonedx.ComponentTypeLibrary, Name: name, Version: version}
}

// goComponents returns the Go modules in the programs, and Go itself.
func (r *release) goComponents() ([]cyclonedx.Component, error) {
	var list []cyclonedx.Component
	for _, p := range platforms {
		info, err := buildinfo.ReadFile(filepath.Join(r.work, "portico-"+p.String()))
		if err != nil {
			return nil, err
		}
		list = append(list, component("golang", "stdlib", strings.TrimPrefix(info.GoVersion, "go"), ""))
		for _, module := range info.Deps {
			list = append(list, component("golang", module.Path, module.Version, ""))
		}
	}
	return list, nil
}

// npmComponents returns the packages of npm that get to users: all but those that only build.
func npmComponents(lock string) ([]cyclonedx.Component, error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return nil, err
	}
	var content struct {
		Packages map[string]struct {
			Version string
			Dev     bool
		}
	}
	if err := json.Unmarshal(text, &content); err != nil {
		return nil, err
	}
	var list []cyclonedx.Component
	for path, p := range content.Packages {
		if i := strings.LastIndex(path, "node_modules/"); i >= 0 && !p.Dev && p.Version != "" { // parts of the workspace have none
			list = append(list, component("npm", path[i+len("node_modules/"):], p.Version, ""))
		}
	}
	return list, nil
}

// systemComponents returns the packages of Debian in the image with PostgreSQL.
func (r *release) systemComponents(ctx context.Context) ([]cyclonedx.Component, error) {
	packages, err := filepath.Glob(filepath.Join(r.work, "debian-*", "*.deb"))
	if err != nil {
		return nil, err
	}
	var list []cyclonedx.Component
	for _, name := range packages {
		output, err := r.command(ctx, "dpkg-deb", "--show", "--showformat=${Package} ${Version} ${Architecture}", name).Output()
		if err != nil {
			return nil, err
		}
		fields := strings.Fields(string(output))
		list = append(list, component("deb", "debian/"+fields[0], fields[1], "?arch="+fields[2]))
	}
	return list, nil
}
