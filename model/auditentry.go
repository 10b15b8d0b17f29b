package model

// AuditEntry is an event of the audit trail as operators see it.
type AuditEntry struct {
	SecurityEvent
	UserEmail  string
	ActorEmail string
}

// AuditEntryConnection is one page of events, newest first.
type AuditEntryConnection Connection[*AuditEntry]

// Edges returns the events with their cursors.
func (c *AuditEntryConnection) Edges() []AuditEntryEdge {
	return edgesOf[*AuditEntry, AuditEntryEdge](c.Nodes, c.Order)
}

// AuditEntryEdge is an event in a page.
type AuditEntryEdge Edge[*AuditEntry]

// AuditEntryFilter selects events of the audit trail for operators.
type AuditEntryFilter struct {
	Account string              // the id of the account, or of the operator who acted; empty for all
	Types   []SecurityEventType // empty for all
}
