package model

import (
	"math"
	"testing"
)

// want is the change, in the words of splat-transform.
func TestConvertFile_Check_accepts(t *testing.T) {
	t.Parallel()
	point, corner := []float64{1, -2.5, 0}, []float64{1e6, 0, 1}
	for _, test := range []struct {
		name string
		in   EditInput
		want string
	}{
		{"translate", EditInput{Translate: point}, "translate 1,-2.5,0"},
		{"rotate", EditInput{Rotate: []float64{0, 0, 180}}, "rotate 0,0,180"},
		{"scale", EditInput{Scale: new(0.001)}, "scale 0.001"},
		{"box", EditInput{FilterBox: &BoxFilter{point, corner}}, "filter-box 1,-2.5,0,1e+06,0,1"},
		{"sphere", EditInput{FilterSphere: &SphereFilter{point, 2}}, "filter-sphere 1,-2.5,0,2"},
		{"value", EditInput{FilterValue: &ValueFilter{"opacity_raw", Greater, -1.5}}, "filter-value opacity_raw,gt,-1.5"},
		{"harmonics", EditInput{FilterHarmonics: new(0)}, "filter-harmonics 0"},
		{"NaN", EditInput{FilterNaN: new(true)}, "filter-nan "},
		{"floaters", EditInput{FilterFloaters: &FloaterFilter{}}, "filter-floaters 0.05,0.1,0.004"},
		{"floaters of a size", EditInput{FilterFloaters: &FloaterFilter{Size: new(0.5), Contribution: new(0.0)}}, "filter-floaters 0.5,0.1,0"},
		{"decimation to a count", EditInput{Decimate: &Decimation{Count: new(1000)}}, "decimate 1000"},
		{"decimation to a share", EditInput{Decimate: &Decimation{Percent: new(12.5)}}, "decimate 12.5%"},
		{"merge", EditInput{Merge: &MergedFile{ResourceKey: "b.ply"}}, "merge b.ply"},
		{
			"merge in a place", EditInput{Merge: &MergedFile{"b.ply", new(2.0), []float64{0, 90, 0}, point}},
			"merge b.ply scale 2 rotate 0,90,0 translate 1,-2.5,0",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			edits, err := checkEdit(test.in)
			if err != nil {
				t.Fatal(err)
			}
			list, err := edits.List()
			if err != nil || len(list) != 1 {
				t.Fatalf("changes: got %v, %v, want one", list, err)
			}
			got := list[0].Name + " " + list[0].Value
			for _, own := range list[0].Edits {
				got += " " + own.Name + " " + own.Value
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// checkEdit checks a conversion of a file with one change.
func checkEdit(in EditInput) (Edits, error) {
	return ConvertFile{To: ConvertToSOG, Edits: []*EditInput{&in}}.Check(&File{ResourceKey: "a.ply", Objects: 1})
}

// want is the message that refuses the change.
func TestConvertFile_Check_refuses(t *testing.T) {
	t.Parallel()
	point, corner := []float64{1, -2.5, 0}, []float64{1e6, 0, 1}
	for _, test := range []struct {
		name string
		in   EditInput
		want string
	}{
		{"no change", EditInput{}, "edits.0 must have exactly one change"},
		{"two changes", EditInput{Scale: new(1.0), FilterNaN: new(true)}, "edits.0 must have exactly one change"},
		{"two numbers", EditInput{Rotate: []float64{1, 2}}, "edits.0.rotate must have three numbers: x, y, z"},
		{"far away", EditInput{Translate: []float64{0, 1e7, 0}}, "edits.0.translate must have finite numbers from -1000000 to 1000000"},
		{"no size", EditInput{Scale: new(0.0)}, "edits.0.scale must be from 0.000001 to 1000000"},
		{"no number", EditInput{Scale: new(math.NaN())}, "edits.0.scale must be from 0.000001 to 1000000"},
		{"empty box", EditInput{FilterBox: &BoxFilter{corner, point}}, "edits.0.filter_box must have a min that is not above its max"},
		{"half a box", EditInput{FilterBox: &BoxFilter{Min: point}}, "edits.0.filter_box.max must have three numbers: x, y, z"},
		{"no sphere", EditInput{FilterSphere: &SphereFilter{point, 0}}, "edits.0.filter_sphere.radius must be above 0, and at most 1000000"},
		{"no centre", EditInput{FilterSphere: &SphereFilter{nil, 1}}, "edits.0.filter_sphere.center must have three numbers: x, y, z"},
		{
			"no property", EditInput{FilterValue: &ValueFilter{"opacity,gt,1,x", Greater, 1}},
			"edits.0.filter_value.property must be one of x, y, z, opacity, scale_0, scale_1, scale_2, f_dc_0, f_dc_1, f_dc_2, with or without _raw",
		},
		{"no comparison", EditInput{FilterValue: &ValueFilter{"x", ">", 1}}, "edits.0.filter_value.comparison must be one of lt, lte, gt, gte, eq, neq"},
		{"no value", EditInput{FilterValue: &ValueFilter{"x", Less, math.Inf(1)}}, "edits.0.filter_value.value must be a finite number"},
		{"no degree", EditInput{FilterHarmonics: new(4)}, "edits.0.filter_harmonics must be a degree from 0 to 3"},
		{"voxels too small", EditInput{FilterFloaters: &FloaterFilter{Size: new(0.0001)}}, "edits.0.filter_floaters.size must be from 0.001 to 1000"},
		{"voxels never solid", EditInput{FilterFloaters: &FloaterFilter{Opacity: new(1.0)}}, "edits.0.filter_floaters.opacity must be above 0 and below 1"},
		{"no contribution", EditInput{FilterFloaters: &FloaterFilter{Contribution: new(math.NaN())}}, "edits.0.filter_floaters.contribution must be from 0 to 1"},
		{"nothing left", EditInput{Decimate: &Decimation{Count: new(0)}}, "edits.0.decimate.count must be from 1 to 2147483646"},
		{"no share", EditInput{Decimate: &Decimation{Percent: new(0.0)}}, "edits.0.decimate.percent must be above 0, and at most 100"},
		{"a count and a share", EditInput{Decimate: &Decimation{new(1), new(1.0)}}, "edits.0.decimate must have either a count or a percent"},
		{"neither of them", EditInput{Decimate: &Decimation{}}, "edits.0.decimate must have either a count or a percent"},
		{"merge without a size", EditInput{Merge: &MergedFile{Scale: new(0.0), Rotate: []float64{1}}}, "edits.0.merge.scale must be from 0.000001 to 1000000"},
		{"merge far away", EditInput{Merge: &MergedFile{Translate: []float64{0, 0, 1e7}}}, "edits.0.merge.translate must have finite numbers from -1000000 to 1000000"},
		{"no filter", EditInput{FilterNaN: new(false)}, "edits.0.filter_nan must be true: broken Gaussians are always removed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := checkEdit(test.in)
			checkInvalid(t, err, test.want)
		})
	}
}

func TestConvertFile_Check_limits_the_number_of_changes(t *testing.T) {
	t.Parallel()
	file := &File{ResourceKey: "a.ply", Objects: 1}
	in := ConvertFile{To: ConvertToSOG, Edits: make([]*EditInput, maxEdits)}
	for i := range in.Edits {
		in.Edits[i] = &EditInput{Scale: new(2.0)}
	}
	_, err := in.Check(file)
	checkInvalid(t, err, "")
	in.Edits = append(in.Edits, &EditInput{Scale: new(2.0)})
	_, err = in.Check(file)
	checkInvalid(t, err, "edits must have at most 16 changes")
	_, err = ConvertFile{To: ConvertToSOG, Edits: []*EditInput{nil}}.Check(file)
	checkInvalid(t, err, "edits.0 must have exactly one change")
}
