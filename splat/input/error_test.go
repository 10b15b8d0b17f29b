package input_test

import (
	"strings"
	"testing"

	"portico/splat/input"
)

func TestError_is_a_sentence_about_the_file(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  *input.Error
		want string
	}{
		{input.Errorf("../../etc/passwd", "has a path that leads outside the archive"), `"../../etc/passwd" has a path that leads outside the archive`},
		{&input.Error{Message: "The archive is damaged"}, "The archive is damaged"},
		{input.Errorf("a\x1b[2J\xff", "is %s", "bad"), `"a\x1b[2J\xff" is bad`},
		{input.Errorf(strings.Repeat("x", 1000), "is bad"), `"` + strings.Repeat("x", 120) + `"... is bad`},
		{input.Errorf(strings.Repeat("日", 50)+"x", "is bad"), `"` + strings.Repeat("日", 40) + `"... is bad`},
		{input.Errorf("x"+strings.Repeat("日", 50), "is bad"), `"x` + strings.Repeat("日", 39) + `"... is bad`},
		{
			input.Errorf("scene.lcc2", "is encrypted").Advise("Create the zip without a password"),
			`"scene.lcc2" is encrypted. Create the zip without a password.`,
		},
		{input.Damaged("a.spz", "it has %d streams", 3), `"a.spz" is damaged: it has 3 streams. Export it again and upload the new file.`},
		{input.CutOff("a.ply", "it has 5 of 9 bytes"), `"a.ply" is cut off: it has 5 of 9 bytes. Copy or download it again and upload the whole file.`},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}
