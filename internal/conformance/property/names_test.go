package property

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// names maps placeholders to the server's names of things.
type names struct {
	real map[string]string // by placeholder
	gone map[string]string // the names of deleted things, by placeholder
}

func newNames() names { return names{real: map[string]string{}, gone: map[string]string{}} }

var placeHolder = regexp.MustCompile(`@[a-z]+[0-9]*@`)

// forms contains the form of the name of each kind of thing (requirements.md, Addresses).
var forms = map[byte]*regexp.Regexp{
	's': regexp.MustCompile(`^[0-9]{8}_[A-Za-z0-9_-]{10,}$`),
	'e': regexp.MustCompile(`^(user-model-[0-9a-f]{16}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$`),
	'u': regexp.MustCompile(`^` + base + `/files/[0-9]{8}/api_uploads/[^?]+$`),
	'f': regexp.MustCompile(`^api_uploads/[A-Za-z0-9]{16,}_[\pL\pM\pN._-]+\.[a-z]+$`),
	'j': regexp.MustCompile(`^.{10,}$`),
	'k': regexp.MustCompile(`^.{10,}$`),
	'c': regexp.MustCompile(`^.+$`),
}

// bind sets the name of a placeholder. Each is bound once, and no two to the same name.
func (n names) bind(holder, real string) error {
	if !forms[holder[1]].MatchString(real) {
		return fmt.Errorf("%s: got %q, want the form %v", holder, real, forms[holder[1]])
	}
	if old, ok := n.real[holder]; ok && old != real {
		return fmt.Errorf("%s: got %q, want %q as before", holder, real, old)
	}
	for other, taken := range n.real {
		if other != holder && taken == real && holder[1] != 'c' {
			return fmt.Errorf("%s: got %q, which is %s", holder, real, other)
		}
	}
	n.real[holder] = real
	return nil
}

// bindNew is bind for things that the server may have made before.
func (n names) bindNew(holder, real string) error {
	for _, taken := range n.real {
		if taken == real {
			return nil
		}
	}
	return n.bind(holder, real)
}

// absent is the name of a placeholder that is not bound.
func absent(holder string) string {
	name := "gone-" + strings.Trim(holder, "@")
	switch holder[1] {
	case 's':
		return "10000000_" + name
	case 'u':
		return base + "/files/10000000/api_uploads/" + name + ".glb"
	case 'f':
		return "api_uploads/" + name + ".png"
	}
	return name
}

// fill replaces the placeholders by the server's names.
func (n names) fill(text string) string {
	return placeHolder.ReplaceAllStringFunc(text, func(holder string) string {
		real, ok := n.real[holder]
		if !ok {
			real = absent(holder)
			n.gone[holder] = real
		}
		return real
	})
}

// hide replaces the server's names by placeholders. Longer names go first, because some
// contain others.
func (n names) hide(text string) string {
	var pairs [][2]string
	for _, bound := range []map[string]string{n.real, n.gone} {
		for holder, real := range bound {
			if holder[1] != 'c' {
				pairs = append(pairs, [2]string{real, holder})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return len(b[0]) - len(a[0]) })
	for _, pair := range pairs {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	// No step creates the first entity of a space that was created from a file.
	return unnamedModel.ReplaceAllString(text, "@model@")
}

var unnamedModel = regexp.MustCompile(`user-model-[0-9a-f]{16}`)
