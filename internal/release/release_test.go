package main

import (
	"archive/tar"
	"bytes"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
)

// newRelease returns a release of the sources of this checkout, with folders that end with the test.
func newRelease(t *testing.T) *release {
	t.Helper()
	return &release{version: "0.1.0", time: time.Unix(1_700_000_000, 0).UTC(), source: "../..", out: t.TempDir(), work: t.TempDir()}
}

// check fails the test if err is not nil.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWriteTar_depends_on_nothing_else(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	source := filepath.Join(t.TempDir(), "program")
	check(t, os.WriteFile(source, []byte("program"), 0o600))
	program := file{path: "a/bin/program", mode: 0o755, source: source}
	link, data := file{path: "a/link", link: "bin/program"}, file{path: "data", mode: fs.ModeDir | 0o700, owner: 7}
	var first, second bytes.Buffer
	check(t, r.writeTar(&first, tree{program, link, data}))
	check(t, os.Chtimes(source, time.Now(), time.Now().Add(time.Hour)))
	check(t, r.writeTar(&second, tree{data, program, link}))
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same files: got different bytes")
	}
	var got strings.Builder
	for archive := tar.NewReader(&first); ; {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		check(t, err)
		got.WriteString(header.FileInfo().Mode().String() + " " + header.Name + " " + header.Linkname + "\n")
		if !header.ModTime.Equal(r.time) {
			t.Errorf("%s: got time %v, want %v", header.Name, header.ModTime, r.time)
		}
	}
	want := "drwxr-xr-x a/ \ndrwxr-xr-x a/bin/ \n-rwxr-xr-x a/bin/program \nLrwxrwxrwx a/link bin/program\ndrwx------ data/ \n"
	if got.String() != want {
		t.Errorf("files: got\n%swant\n%s", got.String(), want)
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	for version, want := range map[string]string{"0.1.0": "The first release.", "0.1.0-test.1": "The first release.", "9.9.9": ""} {
		r.version = version
		notes, err := r.notes()
		if want == "" {
			if err == nil || !strings.Contains(err.Error(), "no section 9.9.9") {
				t.Errorf("%s: got %v, want that there is no section", version, err)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(string(notes), "# Portico "+version+"\n\n"+want) || strings.Contains(string(notes), "\n## ") {
			t.Errorf("%s: got %v and\n%s", version, err, notes)
		}
	}
}

// The first screen of the README has the shortest of the ways, whose commands TestRelease runs.
func TestReadme_has_the_commands_of_the_archive(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../README.md")
	check(t, err)
	for line := range strings.Lines(block(t, "Archive")) {
		if !strings.Contains(string(text), "\n    "+line) {
			t.Errorf("README.md: want the command %s", line)
		}
	}
}

func TestRun_refuses_a_version_that_packages_cannot_have(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "1.0", "v1.0.0", "1.0.0 ", "../1.0.0", "1.0.0-A"} {
		r := newRelease(t)
		r.version = version
		if err := r.run(t.Context()); err == nil || !strings.Contains(err.Error(), "0.1.0") {
			t.Errorf("%q: got %v, want what a version looks like", version, err)
		}
	}
}

// archiveTree is an archive in which the programs are not programs.
func archiveTree() tree {
	return tree{
		{path: "portico", mode: 0o755, data: []byte("#!/bin/sh\n")},
		{path: "LICENSE", mode: 0o644, data: []byte("Apache-2.0")},
		{path: "postgresql/bin/postgres", mode: 0o755, data: []byte("#!/bin/sh\n")},
	}
}

func TestPackages_are_the_same_and_have_the_service(t *testing.T) {
	t.Parallel()
	trees := map[string]tree{"linux-amd64": archiveTree(), "linux-arm64": archiveTree()}
	first, second := newRelease(t), newRelease(t)
	check(t, first.packages(trees))
	check(t, second.packages(trees))
	for _, suffix := range []string{"linux-amd64.deb", "linux-arm64.deb", "linux-amd64.rpm", "linux-arm64.rpm"} {
		a, err := os.ReadFile(first.file(suffix))
		check(t, err)
		b, err := os.ReadFile(second.file(suffix))
		check(t, err)
		if !bytes.Equal(a, b) {
			t.Errorf("%s: got different bytes the second time", suffix)
		}
	}
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("needs dpkg-deb to look into the package")
	}
	content, err := exec.Command("dpkg-deb", "--contents", first.file("linux-amd64.deb")).Output()
	check(t, err)
	unit, err := exec.Command("sh", "-c", "dpkg-deb --fsys-tarfile "+first.file("linux-amd64.deb")+" | tar xO ./usr/lib/systemd/system/portico.service ./usr/lib/systemd/system/portico-backup.service ./usr/lib/systemd/system/portico-backup.timer; "+
		"dpkg-deb --info "+first.file("linux-amd64.deb")+" conffiles postinst").CombinedOutput()
	check(t, err)
	text := string(content) + string(unit)
	for _, want := range []string{
		"-rwxr-xr-x root/root", "./usr/bin/portico\n", "./usr/lib/portico/postgresql/bin/postgres\n", "./usr/share/doc/portico/LICENSE\n",
		"-rw------- root/root", "./etc/portico/portico.env\n", "ExecStart=/usr/bin/portico serve\n", "ExecStart=/usr/bin/portico backup ${BACKUP_FOLDER}\n", "WantedBy=timers.target\n", "User=portico\n",
		"EnvironmentFile=-/etc/portico/portico.env\n", "\n/etc/portico/portico.env\n", "useradd --system",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("package: want %q in\n%s", want, text)
		}
	}
}

func TestAddImage_runs_as_an_ordinary_user_with_a_health_check(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	base, err := r.layer("base", baseTree())
	check(t, err)
	index, err := r.addImage(empty.Index, platforms[1], []v1.Layer{base})
	check(t, err)
	manifest, err := index.IndexManifest()
	check(t, err)
	image, err := index.Image(manifest.Manifests[0].Digest)
	check(t, err)
	config, err := image.ConfigFile()
	check(t, err)
	_, hasVolume := config.Config.Volumes["/data"]
	if config.Architecture != "arm64" || config.Config.User != "65532" || !hasVolume || config.Config.Labels["org.opencontainers.image.version"] != "0.1.0" ||
		strings.Join(config.Config.Healthcheck.Test, " ") != "CMD /portico health" || len(config.RootFS.DiffIDs) != 1 {
		t.Errorf("image: got %+v", config)
	}
}

func TestChecksums_are_signed(t *testing.T) {
	t.Parallel()
	r := newRelease(t)
	public, private, err := minisign.GenerateKey(nil)
	check(t, err)
	key, err := minisign.EncryptKey("", private)
	check(t, err)
	r.key = filepath.Join(t.TempDir(), "key")
	check(t, os.WriteFile(r.key, key, 0o600))
	check(t, os.WriteFile(r.file("notes.md"), []byte("notes"), 0o600))
	check(t, r.checksums())
	sums, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS"))
	check(t, err)
	signature, err := os.ReadFile(filepath.Join(r.out, "SHA256SUMS.minisig"))
	check(t, err)
	if !minisign.Verify(public, sums, signature) || !strings.HasSuffix(string(sums), "  portico-0.1.0-notes.md\n") {
		t.Errorf("signature of\n%s: got one that does not fit", sums)
	}
}
