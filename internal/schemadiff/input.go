package main

import "github.com/vektah/gqlparser/v2/ast"

// compareArguments compares the arguments of a field or directive.
func (c *comparison) compareArguments(field string, before, after ast.ArgumentDefinitionList) {
	for _, was := range before {
		name := field + "(" + was.Name + ":)"
		is := after.ForName(was.Name)
		if is == nil {
			c.remove(isDeprecated(was.Directives), "`%s` was removed", name)
			continue
		}
		c.compareInput(name, was.Type, is.Type, was.DefaultValue, is.DefaultValue)
		c.compareDeprecation(name, was.Directives, is.Directives)
	}
	for _, is := range after {
		if before.ForName(is.Name) == nil {
			c.addInput(field+"("+is.Name+":)", is.Type, is.DefaultValue)
		}
	}
}

// compareInputFields adds the changes of an input type's fields. A removed field and a new required
// field break clients.
func (c *comparison) compareInputFields(before, after *ast.Definition) {
	for _, was := range before.Fields {
		name, is := before.Name+"."+was.Name, after.Fields.ForName(was.Name)
		if is == nil {
			c.remove(isDeprecated(was.Directives), "`%s` was removed", name)
			continue
		}
		c.compareInput(name, was.Type, is.Type, was.DefaultValue, is.DefaultValue)
		c.compareDeprecation(name, was.Directives, is.Directives)
	}
	for _, is := range after.Fields {
		if before.Fields.ForName(is.Name) == nil {
			c.addInput(after.Name+"."+is.Name, is.Type, is.DefaultValue)
		}
	}
}

// compareInput compares an argument or input field with its earlier definition.
func (c *comparison) compareInput(name string, before, after *ast.Type, wasDefault, isDefault *ast.Value) {
	if before.String() != after.String() {
		c.add(levelOf(accepts(after, before)), "`%s` changed its type from `%s` to `%s`", name, before, after)
	}
	if before, after := valueText(wasDefault), valueText(isDefault); before != after {
		c.add(dangerous, "the default of `%s` changed from %s to %s", name, before, after)
	}
}

// addInput adds a new argument or input field. One that clients must send breaks them.
func (c *comparison) addInput(name string, inputType *ast.Type, value *ast.Value) {
	if inputType.NonNull && value == nil {
		c.add(breaking, "`%s` was added and is required", name)
		return
	}
	c.add(dangerous, "`%s` was added", name)
}

// accepts reports whether an input of the type after accepts all values that an input of the type
// before accepted.
func accepts(after, before *ast.Type) bool {
	switch {
	case after.NonNull && !before.NonNull, (after.Elem == nil) != (before.Elem == nil):
		return false
	case after.Elem != nil:
		return accepts(after.Elem, before.Elem)
	}
	return after.NamedType == before.NamedType
}

// staysReadable reports whether clients that read values of the type before can read values of the
// type after.
func (c *comparison) staysReadable(after, before *ast.Type) bool {
	switch {
	case before.NonNull && !after.NonNull, (after.Elem == nil) != (before.Elem == nil):
		return false
	case after.Elem != nil:
		return c.staysReadable(after.Elem, before.Elem)
	case after.NamedType == before.NamedType:
		return true
	}
	for _, possible := range c.after.PossibleTypes[before.NamedType] {
		if possible.Name == after.NamedType {
			return true
		}
	}
	return false
}

// compareDeprecation compares whether something is deprecated, and why.
func (c *comparison) compareDeprecation(name string, before, after ast.DirectiveList) {
	reasonBefore, reasonAfter := argument(before, "deprecated", "reason"), argument(after, "deprecated", "reason")
	switch {
	case !isDeprecated(before) && isDeprecated(after):
		c.add(safe, "`%s` is deprecated: %s", name, reasonAfter)
	case isDeprecated(before) && !isDeprecated(after):
		c.add(safe, "`%s` is not deprecated any more", name)
	case reasonBefore != reasonAfter:
		c.add(safe, "`%s` is deprecated for another reason: %s", name, reasonAfter)
	}
}

func isDeprecated(directives ast.DirectiveList) bool { return directives.ForName("deprecated") != nil }

// argument returns the value of a directive's argument; empty without one.
func argument(directives ast.DirectiveList, directive, name string) string {
	if d := directives.ForName(directive); d != nil {
		if a := d.Arguments.ForName(name); a != nil {
			return a.Value.Raw
		}
	}
	return ""
}

func valueText(value *ast.Value) string {
	if value == nil {
		return "none"
	}
	return "`" + value.String() + "`"
}

// isUnused reports whether all that refers to a type of the baseline is deprecated, or
// belongs to a type that is removed as well.
func (c *comparison) isUnused(name string) bool {
	for _, definition := range c.before.Types {
		if c.after.Types[definition.Name] == nil || definition.Name == name {
			continue
		}
		for _, field := range definition.Fields {
			if !isDeprecated(field.Directives) && refersTo(field, name) {
				return false
			}
		}
		for _, member := range definition.Types {
			if member == name {
				return false
			}
		}
	}
	return true
}

// refersTo reports whether the field, or an argument that is not deprecated, has the type.
func refersTo(field *ast.FieldDefinition, name string) bool {
	for _, a := range field.Arguments {
		if a.Type.Name() == name && !isDeprecated(a.Directives) {
			return true
		}
	}
	return field.Type.Name() == name
}
