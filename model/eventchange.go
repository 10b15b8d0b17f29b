package model

import "strings"

// SecurityEventChange is a value before and after an event.
type SecurityEventChange struct {
	Field SecurityEventField `json:"field"`
	// Before and After are of type Privacy or Plan, or a number of bytes.
	Before string `json:"before"`
	After  string `json:"after"`
}

// SecurityEventField names the value that a SecurityEventChange is about.
type SecurityEventField string

// The values whose changes the audit trail records.
const (
	PrivacyField SecurityEventField = "privacy" // of a space
	PlanField    SecurityEventField = "plan"    // of an account
	StorageField SecurityEventField = "storage" // the quota of an account, in bytes
)

// BeforeConstant returns Before as in GraphQL: a constant of Privacy or Plan, or a number of bytes.
func (c *SecurityEventChange) BeforeConstant() string { return changedConstant(c.Before) }

// AfterConstant returns After as in GraphQL: a constant of Privacy or Plan, or a number of bytes.
func (c *SecurityEventChange) AfterConstant() string { return changedConstant(c.After) }

func changedConstant(value string) string {
	return strings.ToUpper(strings.ReplaceAll(value, " ", "_"))
}

// text returns the change in English.
func (c *SecurityEventChange) text() string {
	change := c.Before + " to " + c.After
	switch c.Field {
	case PlanField:
		return "plan " + change
	case StorageField:
		return "storage " + change + " bytes"
	}
	return change
}

// changesText returns the changes as one English sentence; "" for none.
func changesText(changes []SecurityEventChange) string {
	texts := make([]string, len(changes))
	for i := range changes {
		texts[i] = changes[i].text()
	}
	sentence := strings.Join(texts, ", ")
	if sentence == "" {
		return ""
	}
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}
