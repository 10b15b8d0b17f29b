package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// imageUser is the user of the images, which is not root.
const imageUser = 65532

// images writes an image of the program alone, and one with PostgreSQL and the libraries and the shell
// that PostgreSQL needs. Each is for all processors.
func (r *release) images(ctx context.Context, trees map[string]tree) error {
	base, err := r.layer("base", baseTree())
	if err != nil {
		return err
	}
	alone, complete := mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		if p.os != "linux" {
			continue
		}
		program, postgres := trees[p.String()].split("postgresql/")
		system, err := r.systemTree(ctx, p)
		if err != nil {
			return err
		}
		layers := []v1.Layer{base}
		for _, t := range []tree{program, append(postgres, system...)} {
			layer, err := r.layer(fmt.Sprint(p, len(layers)), t)
			if err != nil {
				return err
			}
			layers = append(layers, layer)
		}
		if alone, err = r.addImage(alone, p, layers[:2]); err != nil {
			return err
		}
		if complete, err = r.addImage(complete, p, layers); err != nil {
			return err
		}
	}
	return errors.Join(r.writeImage("portico", "image.tar", alone), r.writeImage("portico-postgres", "postgres-image.tar", complete))
}

// split returns the files that are not below a folder, and those that are.
func (t tree) split(prefix string) (others, below tree) {
	for _, f := range t {
		if strings.HasPrefix(f.path, prefix) {
			below = append(below, f)
		} else {
			others = append(others, f)
		}
	}
	return others, below
}

// baseTree returns what every program expects of a system: users, certificates, folders.
func baseTree() tree {
	var certificates bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil { // the others are trusted for some servers only, which a file cannot say
			_ = pem.Encode(&certificates, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // a buffer does not fail
		}
	}
	return tree{
		{path: "etc/passwd", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:0::/:/sbin/nologin\nportico:x:%[1]d:%[1]d::/data:/sbin/nologin\n", imageUser)},
		{path: "etc/group", mode: 0o644, data: fmt.Appendf(nil, "root:x:0:\nportico:x:%d:\n", imageUser)},
		{path: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, data: certificates.Bytes()},
		{path: "tmp", mode: fs.ModeDir | fs.ModeSticky | 0o777},
		{path: "data", mode: fs.ModeDir | 0o700, owner: imageUser},
	}
}

// layer returns a layer with these files.
func (r *release) layer(name string, t tree) (v1.Layer, error) {
	archive := filepath.Join(r.work, "layer-"+name+".tar.gz")
	if err := r.writeArchive(archive, t); err != nil {
		return nil, err
	}
	return tarball.LayerFromFile(archive, tarball.WithMediaType(types.OCILayer))
}

// addImage adds the image of a processor to an index.
func (r *release) addImage(index v1.ImageIndex, p platform, layers []v1.Layer) (v1.ImageIndex, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	config := &v1.ConfigFile{
		OS: p.os, Architecture: p.arch, Created: v1.Time{Time: r.time}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:         fmt.Sprint(imageUser),
			Env:          []string{"PORTICO_ADDR=0.0.0.0:8080", "PORTICO_DATA_DIR=/data"},
			Entrypoint:   []string{"/portico"},
			Cmd:          []string{"serve"},
			WorkingDir:   "/data",
			Volumes:      map[string]struct{}{"/data": {}},
			ExposedPorts: map[string]struct{}{"8080/tcp": {}},
			StopSignal:   "SIGTERM",
			Healthcheck: &v1.HealthConfig{
				Test: []string{"CMD", "/portico", "health"}, Interval: 30 * time.Second, Timeout: 10 * time.Second,
				StartPeriod: time.Minute, Retries: 3,
			},
			Labels: map[string]string{
				"org.opencontainers.image.title": "Portico", "org.opencontainers.image.version": r.version,
				"org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.created": r.time.Format(time.RFC3339),
				"org.opencontainers.image.description": "Server for publishing 3D spaces",
			},
		},
	}
	image, err := mutate.ConfigFile(image, config)
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{
			Created: v1.Time{Time: r.time}, CreatedBy: "make release",
		}})
		if err != nil {
			return nil, err
		}
	}
	return mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{
		Platform: &v1.Platform{OS: p.os, Architecture: p.arch},
	}}), nil
}

// writeImage writes an index as an archive of an OCI layout.
func (r *release) writeImage(name, suffix string, index v1.ImageIndex) error {
	folder := filepath.Join(r.work, name+"-layout")
	written, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	tag := name + ":" + r.version
	if err := written.AppendIndex(index, layout.WithAnnotations(annotations(tag))); err != nil {
		return err
	}
	manifests, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, descriptor := range manifests.Manifests { // the same tags as in the list for other versions of Docker
		descriptor.Annotations = annotations(tag + "-" + descriptor.Platform.Architecture)
		if err := written.AppendDescriptor(descriptor); err != nil {
			return err
		}
	}
	t, err := readTree(folder)
	if err != nil {
		return err
	}
	manifest, err := dockerManifest(tag, index)
	if err != nil {
		return err
	}
	out, err := os.Create(r.file(suffix))
	if err != nil {
		return err
	}
	return errors.Join(r.writeTar(out, append(t, file{path: "manifest.json", mode: 0o644, data: manifest})), out.Close())
}

// annotations returns the ways in which engines look for the name of an image.
func annotations(tag string) map[string]string {
	return map[string]string{
		"org.opencontainers.image.ref.name": tag, "io.containerd.image.name": "docker.io/library/" + tag,
	}
}

// dockerManifest returns the list of images for versions of Docker that do not read indexes, with the
// processor in the tag.
func dockerManifest(tag string, index v1.ImageIndex) ([]byte, error) {
	type entry struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	var list []entry
	manifests, err := index.IndexManifest()
	if err != nil {
		return nil, err
	}
	blob := func(hash v1.Hash) string { return path.Join("blobs", hash.Algorithm, hash.Hex) }
	for _, descriptor := range manifests.Manifests {
		image, err := index.Image(descriptor.Digest)
		if err != nil {
			return nil, err
		}
		manifest, err := image.Manifest()
		if err != nil {
			return nil, err
		}
		e := entry{Config: blob(manifest.Config.Digest), RepoTags: []string{tag + "-" + descriptor.Platform.Architecture}}
		for _, layer := range manifest.Layers {
			e.Layers = append(e.Layers, blob(layer.Digest))
		}
		list = append(list, e)
	}
	return json.Marshal(list)
}

// systemPackages are the packages of Debian that PostgreSQL needs: initdb calls a shell, and libc-bin has
// the locale C.UTF-8.
var systemPackages = []string{"libc6", "libc-bin", "libgcc-s1", "libstdc++6", "dash"}

// systemTree returns the files of these packages for a processor. apt downloads and checks them, with
// a state of its own, so that the packages of the machine do not matter.
func (r *release) systemTree(ctx context.Context, p platform) (tree, error) {
	folder := filepath.Join(r.work, "debian-"+p.arch)
	for _, name := range []string{"state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
			return nil, err
		}
	}
	options := []string{
		"-qq", "-o=Dir::State=" + folder + "/state", "-o=Dir::Cache=" + folder + "/cache", "-o=Dir::State::status=/dev/null",
		"-o=APT::Architecture=" + p.arch, "-o=APT::Architectures=" + p.arch, "-o=APT::Sandbox::User=root",
	}
	for _, arguments := range [][]string{{"update"}, append([]string{"download"}, systemPackages...)} {
		apt := r.command(ctx, "apt-get", append(options, arguments...)...)
		apt.Dir = folder
		if err := apt.Run(); err != nil {
			return nil, fmt.Errorf("download packages of Debian for %s: %w", p.arch, err)
		}
	}
	packages, err := filepath.Glob(filepath.Join(folder, "*.deb"))
	if err != nil {
		return nil, err
	}
	t := tree{{path: "bin/sh", link: "dash"}}
	for _, name := range packages {
		content, err := r.command(ctx, "dpkg-deb", "--fsys-tarfile", name).Output()
		if err != nil {
			return nil, err
		}
		if t, err = appendPackage(t, content); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// appendPackage appends the programs, the libraries and the licence of a package of Debian.
func appendPackage(t tree, content []byte) (tree, error) {
	for archive := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		name := path.Clean(header.Name)
		isNeeded := strings.HasPrefix(name, "usr/lib/locale/") || strings.HasSuffix(name, "/copyright")
		if !isNeeded {
			name = strings.TrimPrefix(name, "usr/") // newer packages have all in usr, where links of the system lead
			isNeeded = strings.HasPrefix(name, "lib") && !strings.Contains(name, "/gconv/") || name == "bin/dash"
		}
		if !isNeeded || header.Typeflag != tar.TypeReg && header.Typeflag != tar.TypeSymlink {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			return nil, err
		}
		t = append(t, file{path: name, mode: header.FileInfo().Mode().Perm(), data: data, link: header.Linkname})
	}
}
