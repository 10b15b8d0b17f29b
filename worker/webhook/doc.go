// Package webhook sends signed events over HTTP, in the form of the Standard Webhooks
// specification (standardwebhooks.com). Users choose the addresses, and must not reach the
// server's own network: the package connects only to public addresses and to networks that the
// operator allows. Package worker uses it.
package webhook
