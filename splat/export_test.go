package splat_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portico/splat"
	"portico/splat/folder"
	"portico/splat/splattest"
)

// export writes a capture as one file and returns its content.
func export(t *testing.T, c *splat.Capture, format splat.Format, o splat.ConvertOptions) ([]byte, splat.Facts, []string) {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "made"))
	if err != nil {
		t.Fatal(err)
	}
	facts, warnings, err := c.WriteFile(t.Context(), format, out, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return content, facts, warnings
}

func TestWriteFile_writes_files_that_Open_reads(t *testing.T) {
	t.Parallel()
	for format, extension := range map[splat.Format]string{
		splat.FormatPLY: ".ply", splat.FormatCompressedPLY: ".ply", splat.FormatSPZ: ".spz", splat.FormatGLB: ".glb",
	} {
		t.Run(string(format), func(t *testing.T) {
			t.Parallel()
			c := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
			var percents []float64
			content, made, warnings := export(t, c, format, splat.ConvertOptions{
				Progress: func(percent float64, _ string) { percents = append(percents, percent) },
			})
			if !slices.IsSorted(percents) || len(percents) == 0 || percents[len(percents)-1] != 100 {
				t.Errorf("progress: got %v, want it to rise to 100", percents)
			}
			if text := strings.Join(warnings, "; "); !strings.Contains(text, "the environment was left out") {
				t.Errorf("warnings: got %q, want one about the environment", text)
			}
			read, err := splat.Inspect(t.Context(), folder.Memory{"made" + extension: content}, "made"+extension)
			if err != nil {
				t.Fatal(err)
			}
			if read.Format != format || made.Format != format || read.Splats != 600 || made.Splats != 600 || read.Degree != 3 || read.Version != made.Version {
				t.Errorf("got %+v, read back as %+v, want 600 splats of degree 3", made, read)
			}
			for k := range 3 {
				if d := made.Bounds.Min[k] - read.Bounds.Min[k]; d > 0.01 || d < -0.01 {
					t.Errorf("bounds: got %v, read back as %v", made.Bounds, read.Bounds)
				}
			}
			if made.Attribution != splat.AttributionXGRIDS {
				t.Errorf("attribution: got %q, want the line of XGRIDS", made.Attribution)
			}
		})
	}
}

func TestWriteFile_keeps_the_model_if_the_format_can_store_it(t *testing.T) {
	t.Parallel()
	content := []byte(strings.Replace(string(plyOf(100, 0)), "element", "comment SplatRenderMode: 2dgs\nelement", 1))
	for format, want := range map[splat.Format]splat.Model{
		splat.FormatPLY: splat.Model2DGS, splat.FormatCompressedPLY: splat.Model2DGS, splat.FormatSPZ: "", splat.FormatGLB: "", splat.FormatCSV: "",
	} {
		c := openCapture(t, folder.Memory{"a.ply": content}, "a.ply")
		_, made, warnings := export(t, c, format, splat.ConvertOptions{SPZVersion: 3})
		if warned := strings.Contains(strings.Join(warnings, " "), "cannot say"); made.Model != want || warned != (want == "") {
			t.Errorf("%s: got model %q and warnings %q, want %q", format, made.Model, warnings, want)
		}
	}
}

func TestWriteFile_refuses_files_without_Gaussians_and_unknown_formats(t *testing.T) {
	t.Parallel()
	out, err := os.Create(filepath.Join(t.TempDir(), "made"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	text := openCapture(t, folder.Memory{"a.txt": []byte("text")}, "a.txt")
	if _, _, err := text.WriteFile(t.Context(), splat.FormatPLY, out, splat.ConvertOptions{}); err == nil {
		t.Error("a text: got no error")
	}
	c := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
	if _, _, err := c.WriteFile(t.Context(), splat.FormatKSplat, out, splat.ConvertOptions{}); err == nil {
		t.Error(".ksplat: got no error")
	}
}

func TestEdit_changes_the_written_Gaussians(t *testing.T) {
	t.Parallel()
	c := openCapture(t, folder.Memory(scene().Memory()), splattest.LCCManifest)
	if err := c.Edit(t.Context(), []splat.Edit{{Name: "filter-value", Value: "opacity,gte,0.5"}, {Name: "filter-harmonics", Value: "1"}}); err != nil {
		t.Fatal(err)
	}
	made, _, err := c.WriteStreamedSOG(t.Context(), folder.Memory{}, splat.ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if made.Splats < 200 || made.Splats > 400 || made.Degree != 1 || len(made.Levels) != 3 {
		t.Errorf("got %+v, want about half of 600 splats, of degree 1, in three levels", made)
	}
	if err := c.Edit(t.Context(), []splat.Edit{{Name: "melt"}}); err == nil {
		t.Error("an unknown change: got no error")
	}
}
