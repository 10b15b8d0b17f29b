package model

// Operator is the right to operate the server. graph.Resolver.operator decides who has it.
type Operator struct {
	// UserID is the account of the operator.
	UserID string
}
