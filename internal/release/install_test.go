package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"go.yaml.in/yaml/v3"
)

// TestRelease makes a release twice and installs it as docs/install.md says, on systems with nothing else.
// It takes minutes, and needs root, Linux on amd64, npm, debootstrap, Debian's packages and rpm.
func TestRelease(t *testing.T) {
	if os.Getenv("PORTICO_TEST_RELEASE") == "" {
		t.Skip("make test-release")
	}
	check(t, os.Unsetenv("PORTICO_TEST_RELEASE")) // the programs refuse settings that they do not have
	r := makeRelease(t, "../..")
	t.Run("has_the_same_bytes_when_it_is_made_elsewhere", func(t *testing.T) { checkAgain(t, r) })
	t.Run("downloads_are_small", func(t *testing.T) { checkSizes(t, r) })
	debian := bareDebian(t, r)
	t.Run("archive", func(t *testing.T) { checkArchive(t, debian) })
	t.Run("package_of_Debian", func(t *testing.T) { checkDeb(t, debian) })
	t.Run("package_of_Fedora", func(t *testing.T) { checkRPM(t, debian, r) })
	t.Run("image", func(t *testing.T) { checkImage(t, r, "portico-postgres", "postgres-image.tar") })
	t.Run("Compose", func(t *testing.T) { checkCompose(t, r) })
	t.Run("image_of_arm64", func(t *testing.T) { checkArm(t, r) })
	t.Run("source", func(t *testing.T) { checkSource(t, r) })
}

// makeRelease makes a release of the sources, with the settings that the environment has.
func makeRelease(t *testing.T, source string) *release {
	t.Helper()
	r := &release{version: "0.1.0", source: source, out: filepath.Join(t.TempDir(), "release")}
	start := time.Now()
	check(t, r.run(t.Context()))
	t.Logf("made in %v", time.Since(start).Round(time.Second))
	return r
}

// checkAgain makes the release from a copy of the sources, in another folder, time zone, language and umask.
func checkAgain(t *testing.T, first *release) {
	copied := t.TempDir()
	run(t, exec.Command("sh", "-c", "git ls-files -z | tar c --null --ignore-failed-read -T - | tar x -C "+copied), first.source)
	t.Setenv("SOURCE_DATE_EPOCH", fmt.Sprint(first.time.Unix()))
	t.Setenv("TZ", "Asia/Tokyo")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	defer syscall.Umask(syscall.Umask(0o077))
	second := makeRelease(t, copied)
	want, err := os.ReadFile(filepath.Join(first.out, "SHA256SUMS"))
	check(t, err)
	got, err := os.ReadFile(filepath.Join(second.out, "SHA256SUMS"))
	check(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("checksums: got\n%swant\n%s", got, want)
	}
}

// checkSizes checks that an archive and a package have less than 90 MB.
func checkSizes(t *testing.T, r *release) {
	files, err := os.ReadDir(r.out)
	check(t, err)
	for _, f := range files {
		info, err := f.Info()
		check(t, err)
		t.Logf("%6.1f MB %s", float64(info.Size())/1e6, f.Name())
		if info.Size() >= 90e6 && filepath.Ext(f.Name()) != ".tar" { // an image has two processors
			t.Errorf("%s: got %d bytes, want less than 90 MB", f.Name(), info.Size())
		}
	}
}

// machine is a system in a folder, of which commands see nothing else: they share the kernel and the
// network of this machine.
type machine struct {
	folder   string
	readOnly bool   // but for the volume
	volume   string // a folder that is mounted at /data; empty for none
}

// command returns a command that runs as a user in a folder of the machine, with these variables only.
func (m machine) command(user, folder string, environment []string, arguments ...string) *exec.Cmd {
	script := `mount --bind "$1" "$1"; mount --rbind /dev "$1/dev"; mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"; mount -t proc proc "$1/proc"; `
	if m.volume != "" {
		script += "mount --bind " + m.volume + ` "$1/data"; `
	}
	if m.readOnly {
		script += `mount -o remount,bind,ro "$1"; `
	}
	script += `root=$1 user=$2 folder=$3; shift 3; exec env -i "$@"`
	all := []string{"--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", script, "sh", m.folder, user, folder}
	all = append(append(all, environment...), "/usr/sbin/chroot", "--userspec="+user, m.folder)
	cmd := exec.Command("unshare", append(all, arguments...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// shell returns a command that runs lines of a shell in a folder of the machine.
func (m machine) shell(user, folder string, environment []string, script string) *exec.Cmd {
	environment = append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive"}, environment...)
	return m.command(user, folder, environment, "/bin/sh", "-exc", "cd "+folder+"\n"+script)
}

// run runs a command to its end, and returns its output.
func run(t *testing.T, cmd *exec.Cmd, folder string) string {
	t.Helper()
	cmd.Dir = folder
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, output)
	}
	return string(output)
}

// openPage starts a command that serves at the address, and returns the time to the first page. The command
// ends with the test.
func openPage(t *testing.T, cmd *exec.Cmd, address string, limit time.Duration) time.Duration {
	t.Helper()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	start := time.Now()
	check(t, cmd.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		if err := cmd.Wait(); strings.Contains(output.String(), "panic") {
			t.Errorf("server: got %v\n%s", err, &output)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for again := time.Tick(10 * time.Millisecond); ctx.Err() == nil; <-again {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address, http.NoBody)
		check(t, err)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			continue // not yet
		}
		page, err := io.ReadAll(response.Body)
		check(t, err)
		check(t, response.Body.Close())
		if response.StatusCode == http.StatusOK && bytes.Contains(page, []byte("</html>")) {
			return time.Since(start)
		}
	}
	t.Fatalf("no page within %v\n%s", limit, output.String())
	return 0
}

// freeAddress returns an address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	defer listener.Close() //nolint:errcheck // nothing was written
	return listener.Addr().String()
}

// block returns the commands of a section of docs/install.md, to the letter.
func block(t *testing.T, heading string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/install.md")
	check(t, err)
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/install.md has no section %s", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var commands strings.Builder
	for line := range strings.Lines(section) {
		if command, ok := strings.CutPrefix(line, "    "); ok {
			commands.WriteString(command)
		}
	}
	return commands.String()
}

// bareDebian returns a minimal Debian with a user and with the files of the release in the user's home.
func bareDebian(t *testing.T, r *release) machine {
	t.Helper()
	m := machine{folder: filepath.Join(t.TempDir(), "debian")}
	run(t, exec.Command("debootstrap", "--variant=minbase", "stable", m.folder), "")
	run(t, m.shell("root", "/", nil, "useradd --create-home ada"), "")
	check(t, os.CopyFS(filepath.Join(m.folder, "home/ada"), os.DirFS(r.out)))
	run(t, m.shell("root", "/home/ada", nil, "chown -R ada: .\nchmod 755 ."), "")
	return m
}

// checkArchive runs the blocks about the files and about the archive.
func checkArchive(t *testing.T, m machine) {
	run(t, m.shell("ada", "/home/ada", nil, block(t, "The files")), "")
	address := freeAddress(t)
	server := m.shell("ada", "/home/ada", []string{"HOME=/home/ada", "PORTICO_ADDR=" + address}, block(t, "Archive"))
	took := openPage(t, server, address, time.Minute)
	t.Logf("from the archive to the first page: %v", took)
	checkVersion(t, address)
	// The time of the start alone, with a new data folder, and before everything else that this machine does.
	address = freeAddress(t)
	server = m.shell("ada", "/home/ada/portico-0.1.0-linux-amd64", []string{"HOME=/home/ada", "PORTICO_DATA_DIR=/home/ada/another", "PORTICO_ADDR=" + address}, "exec ./portico serve")
	server.Path, server.Args = "/usr/bin/chrt", append([]string{"chrt", "--rr", "1"}, server.Args...)
	took = openPage(t, server, address, time.Minute)
	t.Logf("from the start to the first page: %v", took)
	if took > 3*time.Second {
		t.Errorf("first page: got after %v, want within 3 s", took)
	}
}

// checkVersion checks the version that a server reports.
func checkVersion(t *testing.T, address string) {
	t.Helper()
	response, err := http.Get("http://" + address + "/readyz")
	check(t, err)
	defer response.Body.Close() //nolint:errcheck // read only
	text, err := io.ReadAll(response.Body)
	check(t, err)
	if !strings.Contains(string(text), "version 0.1.0\n") {
		t.Errorf("/readyz: got %s, want version 0.1.0", text)
	}
}

// systemctl starts the service as its unit says, on a machine that does not run systemd.
const systemctl = `#!/bin/sh
[ "$*" = "enable --now portico" ] || exit 1
unit() { sed -n "s/^$1=//p" /usr/lib/systemd/system/portico.service; }
set -a
for setting in $(unit Environment); do eval "$setting"; done
. "$(unit EnvironmentFile | tr -d -)"
exec setpriv --reuid="$(unit User)" --regid="$(unit Group)" --init-groups --no-new-privs --bounding-set=-all $(unit ExecStart)
`

// checkDeb runs the block about packages, changes the settings, and installs the package again.
func checkDeb(t *testing.T, m machine) {
	check(t, os.WriteFile(filepath.Join(m.folder, "usr/bin/systemctl"), []byte(systemctl), 0o755))
	address := freeAddress(t)
	commands := block(t, "Package for Debian and Ubuntu")
	changed := strings.Replace(commands, "systemctl", "echo PORTICO_ADDR="+address+" >> /etc/portico/portico.env\nsystemctl", 1)
	took := openPage(t, m.shell("root", "/home/ada", nil, changed), address, time.Minute)
	t.Logf("from the package to the first page: %v", took)
	checkVersion(t, address)
	output := run(t, m.shell("root", "/home/ada", nil, "dpkg --install portico-0.1.0-linux-amd64.deb\ntail -1 /etc/portico/portico.env\n"+
		"stat -c '%U %a %n' /var/lib/portico /etc/portico/portico.env\ndpkg --verify portico"), "")
	for _, want := range []string{"\nPORTICO_ADDR=" + address + "\n", "portico 700 /var/lib/portico\n", "root 600 /etc/portico/portico.env\n"} {
		if !strings.Contains(output, want) {
			t.Errorf("after the package was installed again: want %q in\n%s", want, output)
		}
	}
	output = run(t, m.shell("root", "/", nil, "dpkg --remove portico\nls /var/lib/portico/data/postgres /etc/portico"), "")
	if !strings.Contains(output, "portico.env") {
		t.Errorf("after the removal: got\n%s\nwant the data and the settings", output)
	}
}

// checkRPM installs the package for Fedora. No Fedora can be made here: the files go to a Debian.
func checkRPM(t *testing.T, m machine, r *release) {
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("needs rpm")
	}
	name := r.file("linux-amd64.rpm")
	run(t, exec.Command("rpm", "--root="+m.folder, "--dbpath=/var/lib/rpm", "--nodeps", "--install", name), "")
	output := run(t, m.shell("root", "/", nil, "portico version\nid portico\nls -l /etc/portico"), "")
	output += run(t, exec.Command("rpm", "--query", "--package", "--requires", "--configfiles", name), "")
	for _, want := range []string{"0.1.0\n", "portico.env", "glibc >= 2.27\n", "/etc/portico/portico.env\n"} {
		if !strings.Contains(output, want) {
			t.Errorf("package: want %q in\n%s", want, output)
		}
	}
	run(t, exec.Command("rpm", "--root="+m.folder, "--dbpath=/var/lib/rpm", "--nodeps", "--erase", "portico"), "")
}

// unpackImage unpacks the image for a processor, and returns it with its configuration.
func unpackImage(t *testing.T, r *release, suffix, arch string) (machine, v1.Config) {
	t.Helper()
	archive, m := t.TempDir(), machine{folder: t.TempDir(), readOnly: true, volume: t.TempDir()}
	run(t, exec.Command("tar", "xf", r.file(suffix), "-C", archive), "")
	index, err := layout.ImageIndexFromPath(archive)
	check(t, err)
	outer, err := index.IndexManifest()
	check(t, err)
	index, err = index.ImageIndex(outer.Manifests[0].Digest)
	check(t, err)
	manifest, err := index.IndexManifest()
	check(t, err)
	for _, descriptor := range manifest.Manifests {
		if descriptor.Platform.Architecture != arch {
			continue
		}
		image, err := index.Image(descriptor.Digest)
		check(t, err)
		files := mutate.Extract(image)
		tar := exec.Command("tar", "xp", "--numeric-owner", "-C", m.folder)
		tar.Stdin = files
		run(t, tar, "")
		check(t, files.Close())
		for _, name := range []string{"proc", "dev"} { // an engine makes these
			check(t, os.Mkdir(filepath.Join(m.folder, name), 0o755))
		}
		check(t, os.Chmod(m.folder, 0o755))
		check(t, os.Chown(m.volume, imageUser, imageUser)) // a new volume is like the folder in the image
		config, err := image.ConfigFile()
		check(t, err)
		return m, config.Config
	}
	t.Fatalf("%s has no image for %s", suffix, arch)
	return m, v1.Config{}
}

// checkImage runs an image as its configuration says, with a root that cannot be written to.
func checkImage(t *testing.T, r *release, name, suffix string) {
	m, config := unpackImage(t, r, suffix, "amd64")
	address := freeAddress(t)
	environment := append(config.Env, "PORTICO_ADDR="+address)
	took := openPage(t, m.command(config.User+":"+config.User, "/", environment, append(config.Entrypoint, config.Cmd...)...), address, time.Minute)
	t.Logf("%s, from the start to the first page: %v", name, took)
	health := run(t, m.command(config.User+":"+config.User, "/", environment, config.Healthcheck.Test[1:]...), "")
	if !strings.Contains(health, "version 0.1.0") {
		t.Errorf("health: got %s", health)
	}
	if output, err := m.command(config.User+":"+config.User, "/", environment, "/bin/sh", "-c", "echo >/file").CombinedOutput(); err == nil {
		t.Errorf("write to the root: got %s, want an error", output)
	}
	alone, config := unpackImage(t, r, "image.tar", "amd64")
	if got := run(t, alone.command(config.User+":"+config.User, "/", config.Env, append(config.Entrypoint, "version")...), ""); got != "0.1.0\n" {
		t.Errorf("version of the image without PostgreSQL: got %q", got)
	}
}

// recordingDocker stands for an engine, which cannot run here: it writes down what it is asked for.
const recordingDocker = `#!/bin/sh
[ "$1" != load ] || [ -s "$3" ] || exit 1
echo "$*" >>calls
`

// checkCompose runs the block about Compose without an engine. The names in compose.yaml must be those that
// Compose knows and the one of the image in the archive, whose program checkImage runs with the same restrictions.
func checkCompose(t *testing.T, r *release) {
	folder, bin := t.TempDir(), t.TempDir()
	image := r.file("postgres-image.tar")
	check(t, os.Symlink(image, filepath.Join(folder, filepath.Base(image))))
	check(t, os.WriteFile(filepath.Join(bin, "docker"), []byte(recordingDocker), 0o755))
	commands := exec.Command("sh", "-exc", block(t, "Compose"))
	commands.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	run(t, commands, folder)
	calls, err := os.ReadFile(filepath.Join(folder, "calls"))
	check(t, err)
	if want := "load --input " + filepath.Base(image) + "\ncompose up --detach\ncompose logs portico\n"; string(calls) != want {
		t.Errorf("calls: got\n%s\nwant\n%s", calls, want)
	}
	file, err := os.Open(filepath.Join(folder, "compose.yaml"))
	check(t, err)
	defer file.Close() //nolint:errcheck // read only
	var content struct {
		Services map[string]struct {
			Image, Restart  string
			StopGracePeriod string   `yaml:"stop_grace_period"`
			ReadOnly        bool     `yaml:"read_only"`
			CapDrop         []string `yaml:"cap_drop"`
			SecurityOpt     []string `yaml:"security_opt"`
			Ports, Volumes  []string
			Environment     map[string]string
		}
		Volumes map[string]any
	}
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	check(t, decoder.Decode(&content))
	service := content.Services["portico"]
	if _, known := content.Volumes["portico"]; !known || !slices.Equal(service.Volumes, []string{"portico:/data"}) || !service.ReadOnly {
		t.Errorf("compose.yaml: got %+v", content)
	}
	index := run(t, exec.Command("tar", "xOf", image, "index.json"), "")
	if !strings.Contains(index, `"org.opencontainers.image.ref.name": "`+service.Image+`"`) {
		t.Errorf("image: got %q, want one of\n%s", service.Image, index)
	}
}

// checkArm starts the programs for arm64 in an emulator.
func checkArm(t *testing.T, r *release) {
	emulator, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("needs qemu-user-static")
	}
	m, _ := unpackImage(t, r, "postgres-image.tar", "arm64")
	for program, want := range map[string]string{"/portico version": "0.1.0", "/postgresql/bin/postgres --version": "postgres (PostgreSQL) 18", "/postgresql/bin/initdb --version": "initdb (PostgreSQL) 18"} {
		name, argument, _ := strings.Cut(program, " ")
		if got := run(t, exec.Command(emulator, "-L", m.folder, filepath.Join(m.folder, name), argument), ""); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", program, got, want)
		}
	}
}

// checkSource runs the block about the sources, in a copy of them.
func checkSource(t *testing.T, r *release) {
	copied := t.TempDir()
	run(t, exec.Command("git", "clone", "--quiet", r.source, filepath.Join(copied, "portico")), "")
	address := freeAddress(t)
	server := exec.Command("sh", "-exc", block(t, "Sources"))
	server.Dir, server.Env = copied, append(os.Environ(), "PORTICO_ADDR="+address)
	server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	t.Logf("from the sources to the first page: %v", openPage(t, server, address, 15*time.Minute))
}
