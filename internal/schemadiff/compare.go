package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
)

// level says what a change does to clients.
type level string

// The levels, the worst first.
const (
	// breaking makes valid documents invalid, or responses unreadable for clients.
	breaking level = "breaking"
	// dangerous leaves documents valid, but clients may get or mean something else.
	dangerous level = "dangerous"
	safe      level = "safe"
)

// change is a difference between two schemas.
type change struct {
	level level
	text  string
	// announced reports whether what a breaking change removes was deprecated.
	announced bool
}

// comparison collects the changes from one schema to another.
type comparison struct {
	before, after *ast.Schema
	changes       []change
}

// compare returns the changes from one schema to another, the worst first. Descriptions are
// not compared: they are for people.
func compare(before, after *ast.Schema) []change {
	c := &comparison{before: before, after: after}
	c.compareTypes()
	c.compareDirectives()
	slices.SortStableFunc(c.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(rank(a.level), rank(b.level)), strings.Compare(a.text, b.text))
	})
	return c.changes
}

func rank(l level) int { return slices.Index([]level{breaking, dangerous, safe}, l) }

func (c *comparison) add(l level, format string, args ...any) {
	c.changes = append(c.changes, change{level: l, text: fmt.Sprintf(format, args...)})
}

// remove adds the removal of something that clients used.
func (c *comparison) remove(wasDeprecated bool, format string, args ...any) {
	c.changes = append(c.changes, change{level: breaking, text: fmt.Sprintf(format, args...), announced: wasDeprecated})
}

func (c *comparison) compareTypes() {
	for name, before := range c.before.Types {
		after := c.after.Types[name]
		switch {
		case after == nil:
			c.remove(c.isUnused(name), "type `%s` was removed", name)
		case before.Kind != after.Kind:
			c.add(breaking, "`%s` became a type of the kind %s", name, after.Kind)
		default:
			c.compareDefinitions(before, after)
		}
	}
	for name := range c.after.Types {
		if c.before.Types[name] == nil {
			c.add(safe, "type `%s` was added", name)
		}
	}
}

// compareDefinitions compares two types of one kind.
func (c *comparison) compareDefinitions(before, after *ast.Definition) {
	c.compareMembers(before, after, "interface", before.Interfaces, after.Interfaces)
	c.compareMembers(before, after, "member", before.Types, after.Types)
	if was, is := argument(before.Directives, "specifiedBy", "url"), argument(after.Directives, "specifiedBy", "url"); was != is {
		c.add(dangerous, "the specification of `%s` changed from %q to %q", before.Name, was, is)
	}
	c.compareEnumValues(before, after)
	if before.Kind == ast.InputObject {
		c.compareInputFields(before, after)
	} else {
		c.compareFields(before, after)
	}
}

// compareMembers compares the interfaces of a type or the members of a union.
func (c *comparison) compareMembers(before, after *ast.Definition, what string, namesBefore, namesAfter []string) {
	for _, name := range namesBefore {
		if !slices.Contains(namesAfter, name) {
			c.add(breaking, "`%s` lost the %s `%s`", before.Name, what, name)
		}
	}
	for _, name := range namesAfter {
		if !slices.Contains(namesBefore, name) {
			c.add(dangerous, "`%s` got the %s `%s`", after.Name, what, name)
		}
	}
}

func (c *comparison) compareEnumValues(before, after *ast.Definition) {
	for _, value := range before.EnumValues {
		name := before.Name + "." + value.Name
		if now := after.EnumValues.ForName(value.Name); now == nil {
			c.remove(isDeprecated(value.Directives), "`%s` was removed", name)
		} else {
			c.compareDeprecation(name, value.Directives, now.Directives)
		}
	}
	for _, value := range after.EnumValues {
		if before.EnumValues.ForName(value.Name) == nil {
			c.add(dangerous, "`%s.%s` was added", after.Name, value.Name)
		}
	}
}

func (c *comparison) compareFields(before, after *ast.Definition) {
	for _, field := range before.Fields {
		name, now := before.Name+"."+field.Name, after.Fields.ForName(field.Name)
		if now == nil {
			c.remove(isDeprecated(field.Directives), "`%s` was removed", name)
			continue
		}
		if now.Type.String() != field.Type.String() {
			c.add(levelOf(c.staysReadable(now.Type, field.Type)), "`%s` changed its type from `%s` to `%s`", name, field.Type, now.Type)
		}
		c.compareDeprecation(name, field.Directives, now.Directives)
		c.compareArguments(name, field.Arguments, now.Arguments)
	}
	for _, field := range after.Fields {
		if before.Fields.ForName(field.Name) == nil {
			c.add(safe, "`%s.%s` was added", after.Name, field.Name)
		}
	}
}

func (c *comparison) compareDirectives() {
	for name, before := range c.before.Directives {
		after := c.after.Directives[name]
		if after == nil {
			c.add(breaking, "directive `@%s` was removed", name)
			continue
		}
		c.compareArguments("@"+name, before.Arguments, after.Arguments)
		for _, location := range before.Locations {
			if !slices.Contains(after.Locations, location) {
				c.add(breaking, "directive `@%s` is not allowed on %s any more", name, location)
			}
		}
	}
	for name := range c.after.Directives {
		if c.before.Directives[name] == nil {
			c.add(safe, "directive `@%s` was added", name)
		}
	}
}

// levelOf returns the level of a change of a type.
func levelOf(compatible bool) level {
	if compatible {
		return safe
	}
	return breaking
}
