// Command portico is the server, its worker, and the operator's tools.
package main

import (
	"os"

	"portico/cmd/portico/commandline"
)

func main() { os.Exit(commandline.Run(os.Args[1:])) }
