package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A plugin folder is one thing for each command, with the files that are in it.
func TestWorkspace_has_plugin_folders(t *testing.T) {
	t.Parallel()
	const folder, index, tea, sugar = "space/plugins/cup", "space/plugins/cup/index.mjs", "space/plugins/cup/lib/tea.mjs", "space/plugins/cup/lib/sugar.bin"
	f := newSpaceOfOwner(t)
	if out, code := f.pull(f.spaceID); code != 0 {
		t.Fatalf("pull: got exit code %d and %s", code, out)
	}
	f.write(tea, "export const tea = 1;\r\n")
	f.write(sugar, "\x00\xff\r\n")
	f.write("space/plugins/cup/.DS_Store", "of the system")
	f.write(chairFile, `{"type":"UserModelEntity","data":{"glbUrl":"plugins/cup/index.mjs"}}`)
	out, code := f.run("push", "--json")
	if code == 0 || !strings.Contains(out, `{"file":"`+index+`","message":"The folder of a plugin must have the file index.mjs"}`) {
		t.Errorf("push without the module: got exit code %d and %s, want a refusal that names the file", code, out)
	}
	f.write(index, "export { tea } from './lib/tea.mjs';\n")
	wantContains(t, "status", f.must("status"), "put    "+folder+"\n", "put    "+chairFile)
	wantContains(t, "diff", f.must("diff"), "+++ here/"+tea, "+export const tea = 1;", "Binary files server/"+sugar+" and here/"+sugar+" differ")
	wantContains(t, "dry run", f.must("push", "--dry-run"), "put_plugin cup\n", "2 changes would be made")
	wantContains(t, "push", f.must("push"), "put_plugin cup\n", "2 changes were made")
	wantContains(t, "chair", f.read(chairFile), `"glbUrl": "plugins/cup/index.mjs"`)
	wantContains(t, "status after a push", f.must("status"), "Changed here:\n  nothing\nChanged on the server:\n  nothing")
	check(t, os.MkdirAll(filepath.Join(f.dir, folder, "empty"), 0o755)) // folders without files are nothing
	check(t, os.MkdirAll(filepath.Join(f.dir, "space/plugins/none"), 0o755))
	wantContains(t, "push of nothing", f.must("push"), "Nothing to push")

	other := spaceFolder{t, t.TempDir(), f.data, f.env}
	if out, code := other.pull(f.spaceID); code != 0 || other.read(tea) != "export const tea = 1;\n" || other.read(sugar) != "\x00\xff\r\n" {
		t.Errorf("pull of another: got exit code %d, %s, %q and %q, want the same files", code, out, other.read(tea), other.read(sugar))
	}
	check(t, os.RemoveAll(filepath.Join(other.dir, "space/plugins/cup/lib")))
	other.write(index, "export const tea = 2;\n")
	wantContains(t, "diff of a change", other.must("diff"), "Folders server/"+folder+" and here/"+folder+" differ")
	other.must("push")

	// Both change the folder, each another file of it.
	f.write(tea, "export const tea = 3;\n")
	if out, code := f.pull(f.spaceID); code == 0 || !strings.Contains(out, folder) || !strings.Contains(f.read(index), "lib/tea.mjs") {
		t.Errorf("pull of a conflict: got exit code %d and %s, want a refusal that keeps the files", code, out)
	}
	if out, code := f.run("push", "--json"); code == 0 || !strings.Contains(out, `"conflicts":["`+folder+`"]`) {
		t.Errorf("push of a conflict: got exit code %d and %s, want a refusal", code, out)
	}
	if out, code := f.pull(f.spaceID, "--force"); code != 0 || f.read(index) != "export const tea = 2;\n" {
		t.Errorf("pull --force: got exit code %d, %s and %q, want the file of the server", code, out, f.read(index))
	}
	if _, err := os.Stat(filepath.Join(f.dir, "space/plugins/cup/lib")); !os.IsNotExist(err) {
		t.Errorf("folder lib: got %v, want it removed as on the server", err)
	}
	wantContains(t, "a hidden file", f.read("space/plugins/cup/.DS_Store"), "of the system")

	check(t, os.RemoveAll(filepath.Join(f.dir, folder)))
	f.write(chairFile, `{"type":"Simple","data":{}}`)
	wantContains(t, "status of a deletion", f.must("status"), "delete "+folder+"\n")
	wantContains(t, "push of a deletion", f.must("push"), "delete_plugin cup")
	if out, code := other.pull(f.spaceID); code != 0 || !strings.Contains(out, "delete "+folder+"\n") {
		t.Errorf("pull of a deletion: got exit code %d and %s", code, out)
	}
	if _, err := os.Stat(filepath.Join(other.dir, folder)); !os.IsNotExist(err) {
		t.Errorf("deleted folder: got %v, want none", err)
	}

	check(t, os.MkdirAll(filepath.Join(f.dir, folder), 0o755))
	check(t, os.Symlink("/etc/hostname", filepath.Join(f.dir, index)))
	if out, code := f.run("push"); code == 0 || !strings.Contains(out, index+" is a link") {
		t.Errorf("push of a link: got exit code %d and %s, want a refusal", code, out)
	}
	check(t, os.RemoveAll(filepath.Join(f.dir, folder)))
	f.write(folder, "a file")
	if out, code := f.run("status"); code == 0 || !strings.Contains(out, "a plugin is a .mjs file, or a folder with the file index.mjs") {
		t.Errorf("status of a file in place of a folder: got exit code %d and %s, want a refusal", code, out)
	}
}
