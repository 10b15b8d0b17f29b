package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/cmd/portico/workspace"
)

const (
	hallFile = "space/assets/hall.bin"
	millFile = "space/assets/mill.bin"
)

// largeAsset returns the content of an asset that push uploads before it sends its changes.
func largeAsset(version string) string {
	return strings.Repeat("hall", workspace.MaxInlineBytes/4) + version
}

// pulledFolder returns a pulled folder. save is called with the last element of the path of each
// request.
func pulledFolder(t *testing.T, save func(f *spaceOfOwner, request string)) *spaceOfOwner {
	t.Helper()
	f := newSpaceOfOwner(t)
	f.env[0] = "PORTICO_URL=" + proxyThatRuns(t, f.server.URL, func(r *http.Request) { save(f, filepath.Base(r.URL.Path)) })
	if out, code := f.pull(f.spaceID); code != 0 {
		t.Fatalf("portico pull: got exit code %d and %s", code, out)
	}
	return f
}

// Large assets take minutes to upload, and meanwhile people save files, and save them again.
func TestPush_remembers_the_versions_that_it_sent(t *testing.T) {
	t.Parallel()
	isSaved := false
	saveBoth := func(f *spaceOfOwner, version string) {
		f.write(millFile, largeAsset(version))
		f.write(clockFile, "export default "+version)
	}
	f := pulledFolder(t, func(f *spaceOfOwner, request string) {
		switch {
		case request == "upload" && !isSaved: // of the hall
			isSaved = true
			saveBoth(f, "2")
		case request == "changeset":
			saveBoth(f, "3")
		}
	})
	f.write(hallFile, largeAsset("1"))
	saveBoth(f, "1")
	f.must("push")
	wantContains(t, "status", f.must("status"), "put    "+millFile, "put    "+clockFile, "Changed on the server:\n  nothing")
	if got := f.read(millFile); got != largeAsset("3") {
		t.Errorf("%s: got %d bytes that end with %s, want those that were saved last", millFile, len(got), got[len(got)-1:])
	}
}

// A program that writes in place mixes two versions in one upload.
func TestPush_refuses_an_asset_that_is_changed_during_its_upload(t *testing.T) {
	t.Parallel()
	f := pulledFolder(t, func(f *spaceOfOwner, request string) {
		if request == "upload-complete" {
			file, err := os.OpenFile(filepath.Join(f.dir, hallFile), os.O_WRONLY, 0)
			check(t, err)
			_, err = file.WriteString("HALL")
			check(t, err)
			check(t, file.Close())
		}
	})
	f.write(hallFile, largeAsset("1"))
	out, code := f.run("push")
	if code == 0 {
		t.Errorf("push: got exit code 0 and %s, want an error", out)
	}
	wantContains(t, "push", out, hallFile+": the file was changed while it was uploaded: push again")
	if files := f.owner.files(); len(files) > 0 {
		t.Errorf("files of the account: got %v, want none", files)
	}
}
