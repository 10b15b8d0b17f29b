// Package replicas tests the processes of one installation together: two servers and two workers,
// as in docs/deploy/compose.yaml. It contains only tests.
package replicas
