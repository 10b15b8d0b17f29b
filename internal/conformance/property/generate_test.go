package property

import (
	"fmt"
	"math/rand/v2"
)

// generator draws the steps of a sequence. It knows the things that earlier steps may
// have made, not whether the server refused them.
type generator struct {
	*rand.Rand
	steps   []step
	spaces  []made
	uploads []made
	made    map[byte]int // how many placeholders of each kind
}

// made is a thing that a step may have made.
type made struct {
	holder   string
	user     int
	size     int64
	entities []string
	cursors  []string
}

// generate returns the steps of the seed: 20 to 40, by two users through two doors
// in turn.
func generate(seed uint64) []step {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), made: map[byte]int{}}
	length := 20 + g.IntN(21)
	for len(g.steps) < length {
		s := step{User: g.IntN(2), Door: doorREST, API: g.IntN(4) == 0}
		if len(g.steps)%2 == 1 {
			s.Door, s.API = doorGraphQL, false
		}
		g.draw(&s)
		g.steps = append(g.steps, s)
	}
	return g.steps
}

// weights contains how often an operation is drawn. Reads only show what the others did.
var weights = []struct {
	weight int
	draw   func(*generator, *step)
}{
	{8, (*generator).createSpace},
	{6, (*generator).updateSpace},
	{6, (*generator).updatePrivacy},
	{2, (*generator).deleteSpace},
	{4, (*generator).readSpace},
	{4, (*generator).listSpaces},
	{22, (*generator).createEntity},
	{16, (*generator).updateEntity},
	{6, (*generator).deleteEntity},
	{4, (*generator).readEntity},
	{8, (*generator).listEntities},
	{8, (*generator).createUpload},
	{10, (*generator).completeUpload},
	{8, (*generator).sendBytes},
	{3, (*generator).deleteFile},
	{4, (*generator).convertFile},
	{6, (*generator).drawAccount},
}

func (g *generator) draw(s *step) {
	total := 0
	for _, w := range weights {
		total += w.weight
	}
	at := g.IntN(total)
	for _, w := range weights {
		if at -= w.weight; at < 0 {
			w.draw(g, s)
			return
		}
	}
}

func one[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

// maybe draws one of the values, or none with a probability of one half.
func maybe(g *generator, values ...string) *string {
	if g.IntN(2) == 0 {
		return nil
	}
	value := one(g, values...)
	return &value
}

func (g *generator) holder(kind byte) string {
	g.made[kind]++
	return fmt.Sprintf("@%c%d@", kind, g.made[kind])
}

// drawSpace draws a space, the user's own most of the time.
func (g *generator) drawSpace(s *step) *made {
	if len(g.spaces) == 0 || g.IntN(25) == 0 {
		s.Space = "@s999@"
		return &made{}
	}
	for range 5 {
		space := &g.spaces[g.IntN(len(g.spaces))]
		if s.Space = space.holder; space.user == s.User || g.IntN(6) == 0 {
			return space
		}
	}
	// The owner of the space carries out the step.
	space := &g.spaces[g.IntN(len(g.spaces))]
	s.Space, s.User = space.holder, space.user
	return space
}

func (g *generator) drawTexts(s *step) {
	s.Title = maybe(g, "Home", "The <needle> & thread", "Ünïcode 🚪", "100% _needle_")
	s.Description = maybe(g, "", "of ours", "with a needle", "<b>HTML</b>")
}

func (g *generator) createSpace(s *step) {
	s.Op, s.As, s.Form = opCreateSpace, g.holder('s'), one(g, formBare, formWrapped, formSpaces)
	g.drawTexts(s)
	s.Kind = one(g, "", "hub", "hub", "infinite")
	if g.IntN(15) == 0 {
		s.Kind = "castle"
	}
	if g.IntN(3) == 0 {
		s.Privacy = one(g, "Public", "Private", "Link Only", "Open", "Closed", "Nowhere")
	}
	if g.IntN(3) == 0 {
		g.drawFile(s)
	}
	if s.Door == doorGraphQL {
		s.Form = ""
	}
	g.spaces = append(g.spaces, made{holder: s.As, user: s.User})
}

// drawFile draws the resource key of an upload, which may not be confirmed or may be
// the other user's.
func (g *generator) drawFile(s *step) {
	if len(g.uploads) == 0 {
		s.File = "@f999@"
		return
	}
	upload := one(g, g.uploads...)
	s.File = "@f" + upload.holder[2:]
	if g.IntN(5) > 0 && s.Op == opCreateSpace {
		s.User = upload.user
	}
}

func (g *generator) updateSpace(s *step) {
	s.Op = opUpdateSpace
	g.drawSpace(s)
	g.drawTexts(s)
	if g.IntN(3) == 0 {
		s.Privacy = one(g, "Public", "Private", "Link Only", "Open", "Closed", "Nowhere")
	}
	if g.IntN(2) == 0 {
		s.Data = one(g, `{"theme":"dark"}`, `{"theme":null,"n":12345678901234567890}`, `{"nested":{"a":[1,2.50,"<&>"]}}`)
	}
}

func (g *generator) updatePrivacy(s *step) {
	s.Op, s.Privacy = opUpdatePrivacy, one(g, "Public", "Private", "Link Only", "Link Only", "Open", "Hidden")
	g.drawSpace(s)
}

func (g *generator) deleteSpace(s *step) {
	s.Op = opDeleteSpace
	g.drawSpace(s)
}

func (g *generator) readSpace(s *step) {
	s.Op = opSpace
	g.drawSpace(s)
}

// drawPage draws a part of a list. Its cursors are cursors that the list has
// given.
func (g *generator) drawPage(s *step, cursors []string) {
	s.As = g.holder('c')
	s.Limit = one(g, "", "1", "2", "3", "200", "1000")
	if g.IntN(12) == 0 {
		s.Limit = one(g, "0", "-1", "abc", "1.5")
	}
	switch {
	case g.IntN(15) == 0:
		s.Cursor = "bad"
	case len(cursors) > 0 && g.IntN(2) == 0:
		s.Cursor = one(g, cursors...)
	}
}

func (g *generator) listSpaces(s *step) {
	s.Op = opSpaces
	g.drawPage(s, nil)
	s.Search = one(g, "", "", "needle", "_", "%", "nothing")
}

func (g *generator) listEntities(s *step) {
	s.Op = opEntities
	space := g.drawSpace(s)
	g.drawPage(s, space.cursors)
	space.cursors = append(space.cursors, s.As)
}

// drawAccount draws a step that reads the user's account.
func (g *generator) drawAccount(s *step) {
	s.Op = one(g, opViewer, opViewer, opFiles, opJobs, opJob)
	if s.Op == opFiles {
		g.drawPage(s, nil)
	}
	if s.Op == opJob {
		s.Entity = "@j999@"
		if len(g.uploads) > 0 {
			s.Entity = "@j" + one(g, g.uploads...).holder[2:]
		}
		if conversions := g.made['k']; conversions > 0 && g.IntN(2) == 0 {
			s.Entity = fmt.Sprintf("@k%d@", 1+g.IntN(conversions))
		}
	}
}
