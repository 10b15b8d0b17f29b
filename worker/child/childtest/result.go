package childtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"portico/worker/child"
)

// carryOut carries out the request: it makes a result that shows the content of the input.
func (a actor) carryOut() int {
	body, err := os.ReadFile(a.request.In)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	facts := map[string]any{"format": "other"}
	switch filepath.Ext(a.request.In) {
	case ".ply", ".spz", ".sog":
		facts = map[string]any{"format": filepath.Ext(a.request.In)[1:], "splats": strings.Count(string(body), "s")}
	case ".jpg":
		facts = map[string]any{"format": "jpeg", "width": 640, "height": 480}
	}
	if a.request.Task == child.TaskInspect {
		return result(map[string]any{"facts": facts})
	}
	printLine(`{"percent":0,"message":"reading"}`)
	made, err := a.describeInput(body)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if strings.HasSuffix(a.request.Out, ".voxel.json") {
		return a.collide(made)
	}
	return a.convert(made, facts)
}

// describeInput returns the content of a result: it shows the content of the input, the edits and
// the merged files.
func (a actor) describeInput(body []byte) (string, error) {
	made := "made of " + string(body)
	for _, edit := range a.request.Edits {
		made += " " + edit.Name + " " + edit.Value
	}
	for _, merged := range a.request.Merged {
		other, err := os.ReadFile(merged.In)
		if err != nil {
			return "", err
		}
		made += " and " + string(other)
	}
	return made, nil
}

// collide writes a collision, and returns the first view that the request has, or one of its own.
func (a actor) collide(made string) int {
	out := filepath.Join(a.request.Folder, a.request.Out)
	name := strings.TrimSuffix(filepath.Base(out), ".voxel.json")
	position, target := [3]float64{1, 2, 3}, [3]float64{4, 2, 3}
	if v := a.request.SuggestedView; v != nil {
		position, target = v.Position, v.Target
	}
	files := map[string]string{filepath.Base(out): made, name + ".voxel.bin": "voxels"}
	return a.write(out, files, map[string]any{
		"facts": map[string]any{"format": "other"},
		"start": map[string]any{"position": position, "target": target, "up": []int{0, 1, 0}, "scene": "outdoor"},
	})
}

// convert writes the files of a conversion or the pictures of a capture.
func (a actor) convert(made string, facts map[string]any) int {
	out := filepath.Join(a.request.Folder, a.request.Out)
	files := map[string]string{filepath.Base(out): made}
	if filepath.Base(out) == "lod-meta.json" {
		files["0_0/meta.json"], files["0_0/means_l.webp"] = "{}", "image"
		facts["format"] = "streamed-sog"
	}
	found := map[string]any{"facts": facts}
	if filepath.Ext(out) == ".jpg" {
		pictures := []child.Picture{{Name: filepath.Base(out), Width: 640, Height: 400}}
		if view := a.request.Viewpoint; view != nil {
			files["poster-1280.jpg"] = fmt.Sprint("from ", view.Position)
			pictures = append(pictures, child.Picture{Name: "poster-1280.jpg", Width: 1280, Height: 800})
			files["turntable.jpg"] = fmt.Sprint("around: ", a.request.LookAround)
			found["turntable"] = child.Picture{Name: "turntable.jpg", Width: 384, Height: 240}
		}
		found["pictures"] = pictures
	}
	if view := a.request.Viewpoint; view != nil && filepath.Ext(out) == ".webp" {
		files[filepath.Base(out)] += fmt.Sprint(" from ", view.Position)
	}
	return a.write(out, files, found)
}

// write writes the files beside out and prints the result.
func (actor) write(out string, files map[string]string, found map[string]any) int {
	for name, content := range files {
		printLine(`{"percent":50,"message":"writing ` + name + `"}`)
		at := filepath.Join(filepath.Dir(out), name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return 1
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			return 1
		}
	}
	return result(found)
}

// result prints the result and returns the exit status.
func result(found map[string]any) int {
	line, _ := json.Marshal(map[string]any{"result": found})
	printLine(string(line))
	return 0
}
